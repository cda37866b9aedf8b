// Bug classes of identity providers about what a password may be.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { atOnce, formLine, metric, raw, requestText } from './lib/attack.mjs';
import { addressOf, IdentityServer, passwords } from './lib/identity.mjs';
import { Imap } from './lib/imap.mjs';

let id, app;

before(async () => {
  id = await IdentityServer.start();
  app = id.addClient('app', ['--public', '--first-party']);
});
after(() => id?.remove());

const hashes = () => metric(id.issuer, 'muhur_password_hashes_total');
const add = (address, password) => id.run(['user', 'add', address], { input: password + '\n' });

async function signIn(login, password) {
  const browser = id.browser();
  const page = await browser.get(id.authorizeUrl(app).url);
  return browser.submit(page, { login, password }, { form: page.form('password') });
}
const gotIn = (page) => Boolean(page.location?.searchParams.get('code'));

test('bug 26: every byte of a long password counts', async () => {
  const long = 'correct horse battery staple '.repeat(3).slice(0, 80);
  assert.equal(add(addressOf('long'), long).code, 0);
  assert.ok(gotIn(await signIn(addressOf('long'), long)));
  for (const at of [71, 72, 73, 79]) {
    const changed = long.slice(0, at) + '#' + long.slice(at + 1);
    assert.equal(gotIn(await signIn(addressOf('long'), changed)), false, `byte ${at}`);
    assert.equal(gotIn(await signIn(addressOf('long'), long.slice(0, at))), false, `cut at ${at}`);
    if (at === 72) id.installation.must(['user', 'list']);
  }
  assert.equal(gotIn(await signIn(addressOf('long'), long + ' ')), false);
});

test('bug 27: a NUL is refused when a password is set and when it is tried, by form and by IMAP', async () => {
  assert.notEqual(add(addressOf('nul'), 'before it\u0000behind it').code, 0);
  assert.equal(add(addressOf('cut'), 'before it').code, 0);
  const browser = id.browser();
  const page = await browser.get(id.authorizeUrl(app).url);
  const sent = await browser.submit(page, { login: addressOf('cut'), password: 'before it\u0000behind it' }, { form: page.form('password') });
  assert.equal(sent.status, 400);
  assert.equal(sent.location, undefined);
  // The page before is still good.
  assert.ok(gotIn(await browser.submit(page, { login: addressOf('cut'), password: 'before it' }, { form: page.form('password') })));
  const imap = await Imap.open(id.endpoints.imap);
  imap.wire.write('a LOGIN {15}\r\n');
  assert.match(await imap.wire.line(), /^\+/);
  imap.wire.write('cut@example.org {12}\r\n');
  const next = await imap.wire.line();
  if (next.startsWith('+')) {
    imap.wire.write('before it\u0000xx\r\n');
    assert.doesNotMatch(await imap.wire.line(), /^a OK/);
  } else {
    assert.doesNotMatch(next, /^a OK/);
  }
  imap.close();
});

test('bug 28: a body of 1 MiB is refused before anything is hashed', async () => {
  const before = await hashes();
  for (const path of ['/oauth2/login', '/oauth2/token', '/oauth2/authorize', '/oauth2/introspect', '/oauth2/register', '/device']) {
    const answer = await raw(id.issuer, requestText('POST', path, { lines: [formLine], body: 'password=' + 'x'.repeat(1 << 20) }));
    assert.equal(answer.status, 413, `${path}: ${answer.head}`);
  }
  assert.equal(await hashes(), before);
});

test('bug 28: 100 parallel sign-ins with passwords of 4 KiB cost nothing', async () => {
  const before = await hashes();
  const answers = await atOnce(100, (i) => signIn(addressOf(i % 2 ? 'alice' : `nobody${i}`), 'x'.repeat(4096)));
  for (const answer of answers) assert.equal(answer.kind, 'sign-in', answer.title);
  assert.equal(await hashes(), before);
  assert.notEqual(add(addressOf('huge'), 'y'.repeat(1025)).code, 0);
  // They do not count against the account either.
  assert.ok(gotIn(await signIn(addressOf('alice'), passwords.alice)));
});

test('bug 29: one name and one password in all normal forms, and no look-alike beside it', async () => {
  const composed = 'jos\u00e9@example.org', decomposed = 'jose\u0301@example.org';
  assert.equal(add(composed, 'pass\u00f6rd of jos\u00e9').code, 0);
  for (const login of [composed, decomposed, 'JOS\u00c9@EXAMPLE.ORG', '\uff4aos\u00e9@example.org'])
    for (const password of ['pass\u00f6rd of jos\u00e9', 'passo\u0308rd of jose\u0301'])
      assert.ok(gotIn(await signIn(login, password)), JSON.stringify([login, password]));
  // Letters are not made alike in a password: that would give others away.
  for (const password of ['PASS\u00d6RD OF JOS\u00c9', 'passord of jos\u00e9', '\uff50ass\u00f6rd of jos\u00e9'])
    assert.equal(gotIn(await signIn(composed, password)), false, password);
  for (const taken of [decomposed, 'Jos\u00e9@example.org', '\uff21lice@example.org', 'ALICE@example.org', 'alice@example.org.',
    'al\u200bice@example.org', 'al\u0131ce@example.org', '\u0430lice@example.org', 'b\u043eb@example.org'])
    assert.notEqual(add(taken, 'some other password').code, 0, JSON.stringify(taken));
  // Names of other scripts are as good as any.
  for (const fine of ['ay\u015fe.\u0131\u015f\u0131k@example.org', '\ud64d\uae38\ub3d9@example.org', '\u0438\u0432\u0430\u043d@example.org'])
    assert.equal(add(fine, 'some other password').code, 0, JSON.stringify(fine));
});
