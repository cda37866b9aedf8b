// Mail by access token: OAUTHBEARER (RFC 7628) and XOAUTH2, as imapflow and curl speak them, and what is refused.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { ImapFlow } from 'imapflow';
import { IdentityServer, passwords } from './lib/identity.mjs';
import { Imap } from './lib/imap.mjs';
import { Lmtp } from './lib/lmtp.mjs';
import { simpleMessage } from './lib/messages.mjs';
import { dpopProof, makeKey } from './lib/relying_party.mjs';

const run = promisify(execFile);
const scope = 'openid mail offline_access';
const scopes = ['openid', 'email', 'mail', 'offline_access'].flatMap((one) => ['--scope', one]);
const alice = 'alice@example.org';
let id, app;
before(async () => {
  id = await IdentityServer.start();
  app = id.addClient('webmail', ['--public', '--first-party', '--resource', 'https://api.example', ...scopes]);
});
after(() => id?.remove());

const messages = {
  OAUTHBEARER: (token, name = alice) => `n,a=${name},\x01host=localhost\x01port=143\x01auth=Bearer ${token}\x01\x01`,
  XOAUTH2: (token, name = alice) => `user=${name}\x01auth=Bearer ${token}\x01\x01`,
};
const base64 = (text) => Buffer.from(text).toString('base64');
const deliver = async (subject) => {
  const sender = await Lmtp.open(id.endpoints.lmtp);
  const [reply] = await sender.deliver({ to: [alice], message: simpleMessage({ id: subject, subject }) });
  assert.equal(reply.code, 250, reply.text);
  await sender.quit();
};
const open = async (token, mechanism = 'OAUTHBEARER') => {
  const imap = await Imap.open(id.endpoints.imap);
  const reply = await imap.command(`AUTHENTICATE ${mechanism} ${base64(messages[mechanism](token))}`);
  assert.equal(reply.status, 'OK', reply.text);
  return imap;
};
// Asserts the whole refusal: the challenge, the dummy answer, NO.
const refused = async (token, { mechanism = 'OAUTHBEARER', name = alice } = {}) => {
  const imap = await Imap.open(id.endpoints.imap);
  imap.wire.write(`a AUTHENTICATE ${mechanism} ${base64(messages[mechanism](token, name))}\r\n`);
  const line = await imap.wire.line();
  assert.match(line, /^\+ /);
  assert.deepEqual(JSON.parse(Buffer.from(line.slice(2), 'base64')),
    { status: 'invalid_token', scope: 'openid mail', 'openid-configuration': `${id.issuer}/.well-known/openid-configuration` });
  imap.wire.write(mechanism === 'XOAUTH2' ? '\r\n' : 'AQ==\r\n');
  const reply = await imap.finish('a');
  assert.equal(`${reply.status} ${reply.text}`, 'NO [AUTHENTICATIONFAILED] Authentication failed.');
  imap.close();
};
const flow = async (token, options = {}) => {
  const { host, port } = id.endpoints.imap;
  const client = new ImapFlow({ host, port, secure: false, logger: false, tls: { rejectUnauthorized: false }, auth: { user: alice, accessToken: token }, ...options });
  await client.connect();
  return client;
};
const signIns = async (result) => Number(new RegExp(`^muhur_sign_ins_total\\{result="${result}"\\} (\\d+)`, 'm').exec(await (await fetch(`${id.issuer}/metrics`)).text())?.[1] ?? 0);

test('the code flow’s token opens the mailbox for imapflow, with mail that came while nobody was there', async () => {
  await deliver('while away');
  const { access_token } = await id.tokens(app, { scope });
  const client = await flow(access_token);
  const lock = await client.getMailboxLock('INBOX');
  const message = await client.fetchOne('*', { envelope: true, source: true });
  assert.equal(message.envelope.subject, 'while away');
  assert.match(message.source.toString(), /\r\n\r\nbody\r\n$/);
  lock.release();
  await client.logout();
  await assert.rejects(flow(access_token, { auth: { user: 'bob@example.org', accessToken: access_token } }), ({ authenticationFailed, oauthError }) => authenticationFailed && oauthError.status === 'invalid_token');
});

test('curl reads by OAUTHBEARER and by XOAUTH2, in the clear on loopback and over TLS', async () => {
  const { access_token } = await id.tokens(app, { scope });
  for (const mechanism of ['OAUTHBEARER', 'XOAUTH2']) {
    for (const [scheme, { host, port }] of [['imap', id.endpoints.imap], ['imaps', id.endpoints.imaps]]) {
      for (const initial of [[], ['--sasl-ir']]) {
        const { stdout } = await run('curl', ['-sS', '-k', ...initial, '--login-options', `AUTH=${mechanism}`, '--user', alice, '--oauth2-bearer', access_token, `${scheme}://${host}:${port}/INBOX;MAILINDEX=1`]);
        assert.match(stdout, /Subject: while away/, `${mechanism} ${scheme}`);
      }
      await assert.rejects(run('curl', ['-sS', '-k', '--login-options', `AUTH=${mechanism}`, '--user', alice, '--oauth2-bearer', access_token + 'x', `${scheme}://${host}:${port}/INBOX;MAILINDEX=1`]), ({ code }) => code === 67);
    }
  }
});

test('it is offered with a sign-in service only, and counted with other sign-ins', async () => {
  const imap = await Imap.open(id.endpoints.imap);
  assert.match(imap.greeting, / SASL-IR .* AUTH=PLAIN AUTH=OAUTHBEARER AUTH=XOAUTH2\]/);
  imap.close();
  const { access_token } = await id.tokens(app, { scope });
  const before = [await signIns('ok'), await signIns('denied')];
  (await open(access_token)).close();
  await refused('x');
  assert.deepEqual([await signIns('ok'), await signIns('denied')], [before[0] + 1, before[1] + 1]);
});

test('a refreshed token opens it, and a JWT', async () => {
  const first = await id.tokens(app, { scope });
  const { body } = await id.token(app, { grant_type: 'refresh_token', refresh_token: first.refresh_token });
  for (const mechanism of ['OAUTHBEARER', 'XOAUTH2']) (await open(body.access_token, mechanism)).close();
  const jwt = id.addClient('jwt', ['--public', '--first-party', '--access-token', 'jwt', ...scopes]);
  const long = await id.tokens(jwt, { scope });
  assert.equal(long.access_token.split('.').length, 3);
  (await open(long.access_token)).close();
});

test('a token without the scope, for another server, of another user, and what is no access token', async () => {
  const browser = id.browser();
  const whole = await id.tokens(app, { scope, browser });
  const { body: narrow } = await id.token(app, { grant_type: 'refresh_token', refresh_token: whole.refresh_token, scope: 'openid' });
  assert.equal(narrow.scope, 'openid');
  const elsewhere = await id.tokens(app, { scope, browser, resource: 'https://api.example' });
  const bob = await id.tokens(app, { scope, user: 'bob' });
  for (const mechanism of ['OAUTHBEARER', 'XOAUTH2']) {
    await refused(narrow.access_token, { mechanism });
    await refused(elsewhere.access_token, { mechanism });
    await refused(bob.access_token, { mechanism });
    await refused(whole.access_token, { mechanism, name: 'bob@example.org' });
    for (const other of [whole.refresh_token, whole.id_token, narrow.refresh_token, '', 'x']) await refused(other, { mechanism });
  }
  const robot = id.addClient('robot', ['--grant', 'client_credentials', '--scope', 'openid']);
  await refused((await id.token(robot, { grant_type: 'client_credentials' })).body.access_token);
});

test('a token that is bound to a key (DPoP) is not for who only holds it', async () => {
  const bound = id.addClient('bound', ['--public', '--first-party', '--require-dpop', ...scopes]);
  const key = await makeKey();
  const back = await id.authorize(id.browser(), bound, { scope });
  const { body } = await id.exchange(bound, back, { headers: { dpop: await dpopProof(key, 'POST', `${id.issuer}/oauth2/token`) } });
  assert.equal(body.token_type, 'DPoP');
  await refused(body.access_token);
});

test('a revoked token, and one of a session that was signed out, open nothing', async () => {
  const revoked = await id.tokens(app, { scope });
  (await open(revoked.access_token)).close();
  assert.equal((await id.post('/oauth2/revoke', app, { token: revoked.access_token })).status, 200);
  await refused(revoked.access_token);
  const family = await id.tokens(app, { scope });
  assert.equal((await id.post('/oauth2/revoke', app, { token: family.refresh_token })).status, 200);
  await refused(family.access_token);
  const browser = id.browser();
  const session = await id.tokens(app, { scope: 'openid mail', browser });
  (await open(session.access_token)).close();
  await browser.get(`/oauth2/logout?${new URLSearchParams({ id_token_hint: session.id_token })}`);
  await refused(session.access_token);
});

test('a new password ends the tokens of before; those of after open the same mailbox', async () => {
  const { access_token } = await id.tokens(app, { scope });
  id.installation.must(['user', 'passwd', alice], { input: `${passwords.alice}\nanother one for alice\n` });
  await refused(access_token);
  const browser = id.browser();
  const back = await id.authorize(browser, app, { scope }, { password: 'another one for alice' });
  const imap = await open((await id.exchange(app, back)).body.access_token);
  const [message] = await imap.everything('INBOX');
  assert.match(message.bytes.toString(), /Subject: while away/);
  imap.close();
});

test('of a user who is disabled: the session ends with BYE, and the token opens nothing', async () => {
  const { access_token } = await id.tokens(app, { scope, user: 'bob' });
  const imap = await Imap.open(id.endpoints.imap);
  const reply = await imap.command(`AUTHENTICATE OAUTHBEARER ${base64(messages.OAUTHBEARER(access_token, 'bob@example.org'))}`);
  assert.equal(reply.status, 'OK', reply.text);
  id.installation.must(['user', 'disable', 'bob@example.org']);
  assert.match(await imap.wire.line(), /^\* BYE /);
  await refused(access_token, { name: 'bob@example.org' });
});

test('the audit log has each refusal, and a client’s successes once an hour; no token is in the log', async () => {
  const { access_token } = await id.tokens(app, { scope, user: 'admin' });
  await refused(access_token);
  await refused(access_token + 'x');
  const { server } = id.installation;
  await id.installation.stop();
  assert.ok(!server.stderr.includes(access_token.slice(0, 16)));
  const rows = (sql) => id.installation.must(['db', 'shell', 'directory', '--command', `SELECT ${sql} FROM audit WHERE action = 'sign-in' AND detail LIKE 'access token%'`]).stdout;
  assert.match(rows(`count(*) FILTER (WHERE outcome = 'denied' AND user_id = (SELECT id FROM users WHERE address = '${alice}')) > 3`), /^1$/m);
  assert.match(rows(`count(*) FILTER (WHERE outcome = 'denied' AND user_id IS NULL AND peer = '127.0.0.1') > 3`), /^1$/m);
  assert.match(rows(`count(*) FILTER (WHERE outcome = 'ok' AND detail = 'access token of webmail' AND user_id = (SELECT id FROM users WHERE address = '${alice}'))`), /^1$/m);
});
