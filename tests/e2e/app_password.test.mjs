// App passwords of the real binary: `muhur user app-password` beside a running server and without one, and what
// such a password opens: IMAP, and nothing else.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import { addressOf, IdentityServer, passwords } from './lib/identity.mjs';
import { Imap } from './lib/imap.mjs';
import { simpleMessage } from './lib/messages.mjs';
import { binary } from './lib/server.mjs';

const alice = addressOf('alice');
let id;
before(async () => {
  id = await IdentityServer.start({ settings: { MUHUR_SIGN_IN_FREE_GUESSES: '1000' } });
});
after(() => id?.remove());

const command = (args, options) => id.run(['user', 'app-password', ...args], options);
const made = (name, { input = passwords.alice + '\n', args = [] } = {}) => {
  const done = command(['add', alice, name, '--json', ...args], { input });
  assert.equal(done.code, 0, done.stderr);
  return JSON.parse(done.stdout);
};
const listed = () => JSON.parse(command(['list', alice, '--json']).stdout);
const login = (secret) => Imap.login(id.endpoints.imap, alice, secret);
const refused = (secret) => assert.rejects(login(secret), /AUTHENTICATIONFAILED/);

test('an app password made beside a running server opens the mail by IMAP, in any case and grouping', async () => {
  const { name, app_password: secret, address } = made('phone');
  assert.equal(name, 'phone');
  assert.equal(address, alice);
  assert.match(secret, /^[a-z0-9]{4}(-[a-z0-9]{4}){3}$/);
  const session = await login(secret);
  assert.equal((await session.append('INBOX', simpleMessage({ id: 'by-app' }))).status, 'OK');
  assert.equal((await session.everything('INBOX')).length, 1);
  session.close();
  (await login(secret.replaceAll('-', '').toUpperCase())).close();
  const last = secret.at(-1) === 'x' ? 'y' : 'x';
  await refused(secret.slice(0, -1) + last);
  (await login(passwords.alice)).close();
});

test('the sign-in page refuses an app password as it refuses a wrong one', async () => {
  const { app_password: secret } = made('for-the-page');
  const app = id.addClient('page', ['--public']);
  const refusal = async (password) => {
    const back = await id.authorize(id.browser(), app, {}, { password });
    assert.equal(back.parameters.code, undefined);
    assert.equal(back.page.kind, 'sign-in');
    return back.page.alert;
  };
  assert.equal(await refusal(secret), await refusal('not the password'));
  assert.ok((await id.authorize(id.browser(), app)).parameters.code);
});

test('it is shown once: no list, no error and no log has it', async () => {
  const printed = command(['add', alice, 'printed'], { input: passwords.alice + '\n' });
  assert.equal(printed.code, 0, printed.stderr);
  const [secret] = /[a-z0-9]{4}(-[a-z0-9]{4}){3}/.exec(printed.stdout);
  (await login(secret)).close();
  const list = command(['list', alice]);
  assert.match(list.stdout, /^ID +NAME +CREATED +LAST USED\n/);
  assert.match(list.stdout, /printed/);
  for (const text of [list.stdout, JSON.stringify(listed()), id.installation.server.stderr, id.installation.server.stdout])
    assert.ok(!text.includes(secret));
});

test('a removed one signs in no more, by name and by id, while the others stay good', async () => {
  const [first, second, third] = ['one', 'two', 'three'].map((name) => made(name));
  assert.equal(command(['remove', alice, 'one']).code, 0);
  await refused(first.app_password);
  const removed = command(['remove', alice, String(second.id), '--json']);
  assert.deepEqual(JSON.parse(removed.stdout), { ok: true, id: second.id, name: 'two' });
  await refused(second.app_password);
  (await login(third.app_password)).close();
  const again = command(['remove', alice, 'one']);
  assert.equal(again.code, 1);
  assert.match(again.stderr, /has no app password one\. `muhur user app-password list`/);
});

test('sessions of a removed one go on until the user is disabled', async () => {
  const { app_password: secret } = made('stays');
  const session = await login(secret);
  assert.equal(command(['remove', alice, 'stays']).code, 0);
  assert.equal((await session.command('SELECT INBOX')).status, 'OK');
  assert.equal(id.run(['user', 'disable', alice]).code, 0);
  await assert.rejects(async () => {
    for (;;) assert.equal((await session.command('NOOP')).status, 'OK');
  }, /BYE|closed/);
  session.close();
  assert.equal(id.run(['user', 'enable', alice]).code, 0);
  await refused(secret);
  (await login(passwords.alice)).close();
});

test('making one takes the password or the recovery key, from a file or standard input, and no argument', () => {
  const wrong = command(['add', alice, 'wrong'], { input: 'not the password\n' });
  assert.equal(wrong.code, 1);
  assert.equal(wrong.stdout, '');
  assert.match(wrong.stderr, /is wrong/);
  made('by-recovery-key', { input: id.installation.recoveryKeys.alice + '\n', args: ['--recovery'] });
  made('by-file', { input: '', args: ['--password-file', id.installation.passwordFile('alice')] });
  assert.equal(command(['add', alice, 'x', passwords.alice]).code, 2);
  const { app_password: secret } = made('no-more-of-them');
  const another = command(['add', alice, 'another'], { input: secret + '\n' });
  assert.equal(another.code, 1);
  assert.match(another.stderr, /for mail alone/);
  const names = listed().map(({ name }) => name);
  assert.ok(names.includes('by-recovery-key') && names.includes('by-file'));
  assert.ok(!names.includes('wrong') && !names.includes('another'));
});

test('what cannot be made says why and what to do', () => {
  const error = (...args) => {
    const done = command(['add', ...args], { input: passwords.alice + '\n' });
    assert.equal(done.code, 1);
    return done.stderr;
  };
  assert.match(error(alice, 'by-file'), /has an app password named by-file\. Choose another name/);
  assert.match(error('nobody@example.org', 'phone'), /no user nobody@example.org/);
  for (let i = listed().length; i < 32; ++i)
    made(`n${i}`, { input: id.installation.recoveryKeys.alice + '\n', args: ['--recovery'] });
  assert.match(error(alice, 'one-more'), /has 32 app passwords, which is the most/);
  for (const one of listed()) if (/^n\d/.test(one.name)) assert.equal(command(['remove', alice, one.name]).code, 0);
});

test('without a server they are made, listed and removed just so, and hold after a start', async () => {
  await id.installation.stop();
  const kept = made('while-stopped');
  const gone = made('gone-again');
  assert.ok(listed().some(({ name, last_used }) => name === 'while-stopped' && last_used === null));
  assert.equal(command(['remove', alice, 'gone-again']).code, 0);
  await id.begin();
  (await login(kept.app_password)).close();
  await refused(gone.app_password);
});

test('the help tells of them, and of signing in', () => {
  const help = (...args) => spawnSync(binary, [...args, '--help']).stdout.toString();
  assert.match(help(), /sign-on/);
  assert.match(help('user'), /app-password/);
  assert.match(help('user', 'app-password', 'remove'), /user disable/);
  assert.match(help('serve'), /server\.drain_notice/);
});
