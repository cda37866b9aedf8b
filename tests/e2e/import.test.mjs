// Users from other systems: their hashes made by programs that are not ours, read by `muhur user import`, and then
// what an imported user can do: sign in by IMAP and by a browser, get mail, recover.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { addressOf, IdentityServer } from './lib/identity.mjs';
import { Imap } from './lib/imap.mjs';
import { Lmtp } from './lib/lmtp.mjs';
import { simpleMessage, testId } from './lib/messages.mjs';

const password = 'from the old server 7';
let id;
before(async () => {
  id = await IdentityServer.start({ settings: { MUHUR_SIGN_IN_FREE_GUESSES: '1000', MUHUR_PASSWORDS_THREADS: '4' } });
});
after(() => id?.remove());

// Apache's htpasswd, Dovecot's doveadm, Python's crypt: each with the hash as it prints it.
const htpasswd = () =>
  execFileSync('htpasswd', ['-nbBC', '6', 'x', password]).toString().trim().slice(2);
const doveadm = (scheme, rounds) =>
  execFileSync('doveadm', ['pw', '-s', scheme, '-p', password, ...(rounds ? ['-r', rounds] : [])]).toString().trim();
const python = (method) =>
  execFileSync('python3', ['-W', 'ignore', '-c', `import crypt,sys; print(crypt.crypt(sys.argv[1], crypt.mksalt(crypt.${method})))`, password])
    .toString().trim();

const lines = (users) => users.map((user) => JSON.stringify(user)).join('\n') + '\n';
const load = (text, ...args) => {
  const done = id.run(['user', 'import', '-', '--json', ...args], { input: text });
  return { code: done.code, stderr: done.stderr, ...(done.stdout ? JSON.parse(done.stdout) : {}) };
};
const listed = (address) =>
  JSON.parse(id.run(['user', 'list', '--json']).stdout).find((user) => user.address === address);
const login = (address, secret = password) => Imap.login(id.endpoints.imap, address, secret);
const mailboxes = () => readdirSync(join(id.installation.data, 'mail')).filter((name) => name.endsWith('.db')).length;
const deliver = async (to, message = simpleMessage({ id: 'm' })) => {
  const sender = await Lmtp.open(id.endpoints.lmtp);
  const [reply] = await sender.deliver({ to: [to], message });
  await sender.quit();
  return reply;
};

test('hashes of other programs import, and their passwords sign in', async () => {
  const hashes = {
    htpasswd: htpasswd(),
    blf: doveadm('BLF-CRYPT', '5'),
    argon2id: doveadm('ARGON2ID', '3'),
    argon2i: doveadm('ARGON2I', '3'),
    sha512: doveadm('SHA512-CRYPT'),
    sha256: python('METHOD_SHA256'),
    blowfish: python('METHOD_BLOWFISH'),
  };
  assert.match(hashes.htpasswd, /^\$2y\$06\$/);
  assert.match(hashes.blf, /^\{BLF-CRYPT\}\$2y\$05\$/);
  assert.match(hashes.argon2id, /^\{ARGON2ID\}\$argon2id\$v=19\$/);
  const before = mailboxes();
  const done = load(lines(Object.entries(hashes).map(([name, hash]) => ({ address: `${name}@example.org`, hash }))));
  assert.equal(done.code, 0, done.stderr);
  assert.equal(done.imported, Object.keys(hashes).length);
  for (const name of Object.keys(hashes)) {
    const address = `${name}@example.org`;
    assert.equal(listed(address).mailbox_state, 'at first sign-in');
    await assert.rejects(login(address, password + 'x'), /AUTHENTICATIONFAILED/);
    const first = await login(address);
    assert.equal((await first.command('SELECT INBOX')).status, 'OK', name);
    first.close();
    assert.equal(listed(address).mailbox_state, 'ready');
    (await login(address)).close();
  }
  assert.equal(mailboxes(), before + Object.keys(hashes).length);
});

test('mail before the first sign-in is asked to come again, and comes after it', async () => {
  load(lines([{ address: 'waits@example.org', hash: htpasswd() }]));
  const early = await deliver('waits@example.org');
  assert.equal(early.code, 450);
  assert.match(early.text, /^4\.2\.1 /);
  (await login('waits@example.org')).close();
  assert.equal((await deliver('waits@example.org', simpleMessage({ id: 'afterwards' }))).code, 250);
  const reader = await login('waits@example.org');
  assert.deepEqual((await reader.everything('INBOX')).map(({ bytes }) => testId(bytes)), ['afterwards']);
  reader.close();
});

test('twenty first sign-ins at once make one mailbox', async () => {
  load(lines([{ address: 'twenty@example.org', hash: htpasswd() }]));
  const before = mailboxes();
  const sessions = await Promise.all(Array.from({ length: 20 }, () => login('twenty@example.org')));
  assert.equal(mailboxes(), before + 1);
  assert.equal((await sessions[0].append('INBOX', simpleMessage({ id: 'shared' }))).status, 'OK');
  for (const session of sessions) {
    assert.equal((await session.everything('INBOX')).length, 1);
    session.close();
  }
});

test('a first sign-in by a browser makes the mailbox, and its token carries mail', async () => {
  load(lines([{ address: 'browser@example.org', name: 'Bera Tarayıcı', hash: htpasswd() }]));
  const app = id.addClient('mailer', ['--public', '--scope', 'openid', '--scope', 'profile', '--scope', 'mail']);
  const back = await id.authorize(id.browser(), app, { scope: 'openid profile mail' }, { user: 'browser', password });
  assert.ok(back.parameters.code, JSON.stringify(back.parameters));
  const tokens = await id.exchange(app, back);
  assert.equal(tokens.status, 200);
  assert.equal(listed('browser@example.org').mailbox_state, 'ready');
  const known = await id.json('/oauth2/userinfo', { headers: { authorization: `Bearer ${tokens.body.access_token}` } });
  assert.equal(known.body.name, 'Bera Tarayıcı');
  (await login('browser@example.org')).close();
});

test('an account without mail signs in to other services, and has no mailbox ever', async () => {
  load(lines([{ address: 'sso@example.org', hash: doveadm('BLF-CRYPT', '5'), mailbox: false }]));
  assert.equal((await deliver('sso@example.org')).code, 550);
  const app = id.addClient('plain', ['--public']);
  const back = await id.authorize(id.browser(), app, {}, { user: 'sso', password });
  assert.ok(back.parameters.code);
  await assert.rejects(login('sso@example.org'), /AUTHENTICATIONFAILED/);
  assert.equal(listed('sso@example.org').mailbox_state, 'none');
});

test('a recovery key is made on demand, and opens the way back in', async () => {
  load(lines([{ address: 'forgets@example.org', hash: htpasswd() }]));
  const made = id.run(['user', 'recovery-key', 'forgets@example.org', '--json'], { input: password + '\n' });
  assert.equal(made.code, 0, made.stderr);
  const { recovery_key: key } = JSON.parse(made.stdout);
  assert.equal(listed('forgets@example.org').mailbox_state, 'ready', 'the proof was the first sign-in');
  assert.equal((await deliver('forgets@example.org', simpleMessage({ id: 'kept' }))).code, 250);
  const changed = id.run(['user', 'passwd', 'forgets@example.org', '--recovery'], { input: `${key}\nquite another one 8\n` });
  assert.equal(changed.code, 0, changed.stderr);
  const reader = await login('forgets@example.org', 'quite another one 8');
  assert.equal((await reader.everything('INBOX')).length, 1);
  reader.close();
});

test('one bad line keeps the whole file out, unless it may be left out', () => {
  const text = lines([{ address: 'good1@example.org', hash: htpasswd() }, { address: 'bad@example.org', hash: '{SSHA}c2VjcmV0' },
    { address: addressOf('alice'), hash: htpasswd() }, { address: 'x@elsewhere.example', hash: htpasswd() }]) +
    '{"address":"typo@example.org"\n';
  const refused = load(text);
  assert.equal(refused.code, 1);
  assert.deepEqual(refused.bad.map(({ line }) => line), [2, 3, 4, 5]);
  assert.match(refused.bad[0].what, /SSHA/);
  for (const { remedy } of refused.bad.slice(0, 4)) assert.ok(remedy, JSON.stringify(refused.bad));
  assert.ok(!JSON.stringify(refused).includes('c2VjcmV0'));
  assert.equal(listed('good1@example.org'), undefined);
  const dry = load(text, '--skip-bad', '--dry-run');
  assert.deepEqual([dry.code, dry.importable, dry.imported], [0, 1, 0]);
  assert.equal(listed('good1@example.org'), undefined);
  const done = load(text, '--skip-bad');
  assert.deepEqual([done.code, done.imported, done.bad.length], [0, 1, 4]);
  const again = load(lines([{ address: 'good1@example.org', hash: htpasswd() }, { address: 'good2@example.org', hash: htpasswd() }]), '--skip-existing');
  assert.deepEqual([again.code, again.imported, again.existing], [0, 1, 1]);
});

test('CSV imports the same, with a server and without one', async () => {
  const csv = (name) => `address,name,hash,quota,admin,disabled\r\n${name}@example.org,"Ay, Ayşe",${htpasswd()},2GiB,yes,\r\n` +
    `${name}-off@example.org,,${htpasswd()},,,true\r\n`;
  const text = id.run(['user', 'import', '-'], { input: csv('served') });
  assert.equal(text.code, 0, text.stderr);
  assert.match(text.stdout, /Imported 2 users/);
  await id.installation.stop();
  const alone = load(csv('alone'));
  assert.deepEqual([alone.code, alone.imported], [0, 2], alone.stderr);
  // More than one request's worth, all through the one data directory that the command opened.
  const hash = htpasswd();
  const many = load(lines(Array.from({ length: 450 }, (_, i) => ({ address: `many${i}@example.org`, hash }))));
  assert.deepEqual([many.code, many.imported], [0, 450], many.stderr);
  await id.begin();
  for (const name of ['served', 'alone']) {
    const user = listed(`${name}@example.org`);
    assert.deepEqual([user.name, user.quota, user.admin, user.disabled], ['Ay, Ayşe', 2 * 2 ** 30, true, false]);
    await assert.rejects(login(`${name}-off@example.org`), /AUTHENTICATIONFAILED/);
    (await login(`${name}@example.org`)).close();
  }
  (await login('many449@example.org')).close();
});

test('kill -9 at a first sign-in leaves no half mailbox and nobody out', async () => {
  load(lines(Array.from({ length: 12 }, (_, i) => ({ address: `crash${i}@example.org`, hash: htpasswd() }))));
  for (let round = 0; round < 3; ++round) {
    const tries = Array.from({ length: 4 }, (_, i) => login(`crash${round * 4 + i}@example.org`).then((s) => s.close(), () => {}));
    await Promise.race(tries);  // one is through, others are somewhere on the way
    await id.restart({ signal: 'SIGKILL' });
    await Promise.all(tries);
    for (let i = 0; i < 4; ++i) {
      const address = `crash${round * 4 + i}@example.org`;
      (await login(address)).close();
      assert.equal((await deliver(address)).code, 250);
    }
  }
  const users = JSON.parse(id.run(['user', 'list', '--json']).stdout);
  assert.equal(mailboxes(), users.filter(({ mailbox_state: state }) => state === 'ready').length);
});
