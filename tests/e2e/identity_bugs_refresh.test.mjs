// Bug classes of identity providers about refresh tokens: rotation, grace, families, policy of every grant.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { atOnce } from './lib/attack.mjs';
import { claimsOf, IdentityServer } from './lib/identity.mjs';

let id, app, second, server;
const device = 'urn:ietf:params:oauth:grant-type:device_code';

before(async () => {
  id = await IdentityServer.start();
  app = id.addClient('app', ['--public', '--first-party', '--resource', 'https://api.example', '--resource', 'https://files.example']);
  second = id.addClient('second', ['--public', '--first-party']);
  server = id.addClient('server', ['--first-party', '--may-introspect']);
});
after(() => id?.remove());

const refresh = (client, refresh_token, more = {}) => id.token(client, { grant_type: 'refresh_token', refresh_token, ...more });
const active = async (token) => (await id.introspect(server, token)).body.active;

test('bug 8: 20 parallel refreshes rotate once', async () => {
  for (const client of [app, server]) {
    const { refresh_token } = await id.tokens(client);
    const answers = await atOnce(20, () => refresh(client, refresh_token));
    for (const answer of answers) assert.equal(answer.status, 200, answer.text);
    assert.equal(new Set(answers.map(({ body }) => body.refresh_token)).size, 1);
    assert.notEqual(answers[0].body.refresh_token, refresh_token);
    // One family: taking back what came out takes back all.
    await id.post('/oauth2/revoke', client, { token: answers[0].body.refresh_token });
    for (const { body } of answers) assert.equal(await active(body.access_token), false);
  }
});

test('bug 9: a lost answer is asked for again and gives the same successor, which works', async () => {
  const { refresh_token } = await id.tokens(app);
  const lost = await refresh(app, refresh_token);
  const again = await refresh(app, refresh_token);
  assert.equal(again.status, 200, again.text);
  assert.equal(again.body.refresh_token, lost.body.refresh_token);
  assert.equal((await refresh(app, again.body.refresh_token)).status, 200);
});

test('bug 9: the same successor comes from a restarted server too', async () => {
  const { refresh_token } = await id.tokens(app);
  const lost = await refresh(app, refresh_token);
  await id.restart({ signal: 'SIGKILL' });
  const again = await refresh(app, refresh_token);
  // On a busy machine the grace may be over: then it has to be known as a reuse.
  if (again.status === 200) assert.equal(again.body.refresh_token, lost.body.refresh_token);
  else assert.equal(again.body.error, 'invalid_grant');
});

test('bug 51: revoking an access token is no replay at the next refresh, and each client has a family of its own', async () => {
  const browser = id.browser();
  const [mine, theirs] = [await id.tokens(app, { browser }), await id.tokens(second, { browser })];
  assert.equal((await id.post('/oauth2/revoke', app, { token: mine.access_token })).status, 200);
  assert.equal(await active(mine.access_token), false);
  const next = await refresh(app, mine.refresh_token);
  assert.equal(next.status, 200, next.text);
  // Nobody takes back what is another's.
  const refused = await id.post('/oauth2/revoke', second, { token: next.body.refresh_token });
  assert.notEqual(refused.status, 200);
  assert.equal(await active(next.body.access_token), true);
  assert.equal((await id.post('/oauth2/revoke', app, { token: next.body.refresh_token })).status, 200);
  assert.equal(await active(next.body.access_token), false);
  assert.equal((await refresh(app, next.body.refresh_token)).body.error, 'invalid_grant');
  assert.equal(await active(theirs.access_token), true);
  assert.equal((await refresh(second, theirs.refresh_token)).status, 200);
});

test('bug 52: a wrong scope or resource at refresh uses nothing up', async () => {
  const { refresh_token } = await id.tokens(app, { scope: 'openid email', resource: 'https://api.example' });
  for (const more of [{ scope: 'openid profile' }, { scope: 'openid email groups' }, { scope: 'mail' }, { scope: 'admin' }])
    assert.equal((await refresh(app, refresh_token, more)).body.error, 'invalid_scope', JSON.stringify(more));
  for (const resource of ['https://files.example', 'https://evil.example', ['https://api.example', 'https://files.example']])
    assert.equal((await refresh(app, refresh_token, { resource })).body.error, 'invalid_target', resource);
  assert.equal((await refresh(app, refresh_token, { scope: ['openid', 'email'] })).body.error, 'invalid_request');
  assert.equal(await active(refresh_token), true);
  const next = await refresh(app, refresh_token, { scope: 'openid' });
  assert.equal(next.status, 200, next.text);
  assert.equal(next.body.scope, 'openid');
  // What was left out once is not lost.
  assert.equal((await refresh(app, next.body.refresh_token)).body.scope, 'openid email');
});

test('bug 52: auth_time and sid stay the same over refreshes, and a live refresh token introspects active', async () => {
  const first = await id.tokens(app);
  const { auth_time, sid, sub } = claimsOf(first.id_token);
  let token = first.refresh_token;
  for (let round = 0; round < 4; ++round) {
    assert.equal(await active(token), true);
    const { status, body } = await refresh(app, token);
    assert.equal(status, 200);
    const claims = claimsOf(body.id_token);
    assert.deepEqual([claims.auth_time, claims.sid, claims.sub], [auth_time, sid, sub]);
    assert.equal(claims.nonce, undefined);
    assert.equal(await active(token), false);
    token = body.refresh_token;
  }
});

test("bug 32: each grant asks the client's policy", async () => {
  // client x grant: a client may do what it was registered for, and nothing else.
  const grants = ['authorization_code', 'refresh_token', 'client_credentials', device];
  for (const [n, own] of [['authorization_code'], ['authorization_code', 'refresh_token'], ['client_credentials'], [device], ['authorization_code', device]].entries()) {
    const client = id.addClient(`policy${n}`, own.flatMap((grant) => ['--grant', grant]));
    for (const grant of grants) {
      const answer = await id.token(client, { grant_type: grant, code: 'x', refresh_token: 'x', device_code: 'x', redirect_uri: client.redirect, scope: 'profile' });
      const allowed = answer.status === 200 || answer.body.error === 'invalid_grant';
      assert.equal(allowed, own.includes(grant), `${own} ${grant}: ${answer.text}`);
      if (!own.includes(grant)) assert.equal(answer.body.error, 'unauthorized_client');
    }
    const started = await id.post('/oauth2/device_authorization', client, { scope: 'openid' });
    assert.equal(started.status === 200, own.includes(device), started.text);
    const pushed = await id.post('/oauth2/par', client, Object.fromEntries(id.authorizeUrl(client).url.searchParams));
    assert.equal(pushed.status === 201, own.includes('authorization_code'), pushed.text);
    const tokens = own.includes('authorization_code') ? await id.tokens(client) : undefined;
    if (tokens) assert.equal('refresh_token' in tokens, own.includes('refresh_token'));
  }
  for (const grant_type of ['password', 'implicit', 'urn:ietf:params:oauth:grant-type:jwt-bearer', 'urn:ietf:params:oauth:grant-type:token-exchange', 'Authorization_Code'])
    assert.equal((await id.token(server, { grant_type, username: 'alice@example.org', password: 'x' })).body.error, 'unsupported_grant_type');
  assert.equal((await id.token(server, {})).body.error, 'invalid_request');
});

test('bug 32: a group that a client is for is asked for at sign-in, on the device page and at every refresh', async () => {
  const admins = id.addClient('admins', ['--public', '--first-party', '--group', 'admins', '--grant', 'authorization_code', '--grant', 'refresh_token', '--grant', device]);
  const refused = await id.authorize(id.browser(), admins, {}, { user: 'alice' });
  assert.equal(refused.parameters.error, 'access_denied');
  assert.ok(await id.tokens(admins, { user: 'admin' }));
  // The rule changes while tokens are out.
  const open = id.addClient('open', ['--public', '--first-party']);
  const { refresh_token } = await id.tokens(open, { user: 'alice' });
  const next = await refresh(open, refresh_token);
  assert.equal(next.status, 200);
  assert.equal(id.run(['client', 'change', 'open', '--group', 'admins']).code, 0);
  const late = await refresh(open, next.body.refresh_token);
  assert.equal(late.body.error, 'invalid_grant', late.text);
});
