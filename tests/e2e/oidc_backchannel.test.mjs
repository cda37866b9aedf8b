// Back-channel logout (OpenID Connect Back-Channel Logout 1.0): logout tokens posted to real web servers, verified
// by jose; which ends of a session tell whom; what is tried again.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { IdentityServer, claimsOf, passwords } from './lib/identity.mjs';
import { listen } from './lib/relying_party.mjs';

const landing = 'https://app.example.org/signed-out';
const event = 'http://schemas.openid.net/event/backchannel-logout';
let id, keys;
const listeners = [];
before(async () => {
  id = await IdentityServer.start();
  keys = createRemoteJWKSet(new URL('/oauth2/jwks', id.issuer));
});
after(async () => {
  await Promise.all(listeners.map((one) => one.close()));
  await id?.remove();
});

let made = 0;
async function client(answer, args = []) {
  const web = await listen(answer);
  listeners.push(web);
  const name = `app${++made}`;
  return { ...id.addClient(name, ['--public', '--backchannel-logout', `${web.url}/logout?x=1`, '--post-logout-uri', landing, ...args]), web };
}
async function logoutToken(app, request) {
  assert.equal(request.method, 'POST');
  assert.equal(request.url, '/logout?x=1');
  assert.match(request.headers['content-type'], /^application\/x-www-form-urlencoded/);
  assert.deepEqual(Object.keys(request.form), ['logout_token']);
  const { payload } = await jwtVerify(request.form.logout_token, keys, { issuer: id.issuer, audience: app.id, typ: 'logout+jwt', maxTokenAge: '2 minutes', requiredClaims: ['iat', 'exp', 'jti', 'sub', 'sid', 'events'] });
  assert.deepEqual(payload.events, { [event]: {} });
  assert.equal('nonce' in payload, false);
  return payload;
}
const leave = (browser, id_token_hint) =>
  browser.get(`/oauth2/logout?${new URLSearchParams({ id_token_hint, post_logout_redirect_uri: landing })}`);

test('oidcc-backchannel-rp-initiated-logout: every client of the session is told, with its sid', async () => {
  const [one, two] = [await client(), await client(undefined, ['--id-token-alg', 'EdDSA'])];
  const browser = id.browser();
  const first = await id.tokens(one, { browser });
  const again = await id.tokens(one, { browser, prompt: 'login' });
  const second = await id.tokens(two, { browser });
  const { sid, sub } = claimsOf(first.id_token);
  for (const tokens of [again, second]) assert.equal(claimsOf(tokens.id_token).sid, sid);  // stable over sign-ins
  assert.equal((await leave(browser, second.id_token)).location.href, landing);
  for (const app of [one, two]) {
    const [request] = await app.web.arrived(1);
    const token = await logoutToken(app, request);
    assert.deepEqual([token.sid, token.sub], [sid, sub]);
  }
  const { parameters } = id.cameBack(await browser.get(id.authorizeUrl(one, { prompt: 'none' }).url));
  assert.equal(parameters.error, 'login_required');
  assert.equal((await id.userinfo(first.access_token)).status, 401);
  assert.equal((await id.token(one, { grant_type: 'refresh_token', refresh_token: first.refresh_token })).body.error, 'invalid_grant');
});

test('offline access outlives the session that it began in', async () => {
  const app = await client();
  const browser = id.browser();
  const tokens = await id.tokens(app, { browser, scope: 'openid offline_access' });
  await leave(browser, tokens.id_token);
  await app.web.arrived(1);
  assert.equal((await id.token(app, { grant_type: 'refresh_token', refresh_token: tokens.refresh_token })).status, 200);
});

test('the sessions page ends another browser’s session, and its clients hear of that one', async () => {
  const app = await client();
  const [here, there] = [id.browser(), id.browser()];
  const mine = claimsOf((await id.tokens(app, { browser: here, user: 'bob' })).id_token);
  const other = claimsOf((await id.tokens(app, { browser: there, user: 'bob' })).id_token);
  assert.notEqual(mine.sid, other.sid);
  const page = await here.get('/account/sessions');
  const form = page.forms.find(({ fields }) => fields.sid === other.sid);
  await here.submit(page, {}, { form });
  const [request] = await app.web.arrived(1);
  assert.equal((await logoutToken(app, request)).sid, other.sid);
  assert.equal(id.cameBack(await here.get(id.authorizeUrl(app, { prompt: 'none' }).url)).parameters.error, undefined);
  assert.equal(id.cameBack(await there.get(id.authorizeUrl(app, { prompt: 'none' }).url)).parameters.error, 'login_required');
});

// The last attempt went out on a connection that the client had closed in the pause, and was lost.
test('a notice that fails for a passing reason is tried again, with the same token', async () => {
  const app = await client((request, body, count) => (count < 3 ? 503 : 200));
  const browser = id.browser();
  await leave(browser, (await id.tokens(app, { browser })).id_token);
  const requests = await app.web.arrived(3);
  assert.equal(new Set(requests.map(({ form }) => form.logout_token)).size, 1);
  await logoutToken(app, requests[2]);
});

test('a client that says no is not asked again, and one that redirects leads nowhere', async () => {
  const trap = await listen();
  listeners.push(trap);
  const refuses = await client(() => 400);
  const turns = await client(() => [302, { location: trap.url }]);
  const witness = await client((request, body, count) => (count < 2 ? 500 : 200));
  const browser = id.browser();
  let last;
  for (const app of [refuses, turns, witness]) last = await id.tokens(app, { browser });
  await leave(browser, last.id_token);
  await witness.web.arrived(2);  // the others' second chance would have come by then
  assert.equal(refuses.web.requests().length, 1);
  assert.equal(trap.requests().length, 0);
});

test('a client that hangs holds up nobody', async () => {
  const app = await client(() => [200, { 'x-never': 'ends', 'content-length': '10' }, '']);
  const browser = id.browser();
  const page = await leave(browser, (await id.tokens(app, { browser })).id_token);
  assert.equal(page.location.href, landing);
  await app.web.arrived(1);
});

test('disabling a user ends the sessions, the tokens and tells the clients', async () => {
  const app = await client();
  const browser = id.browser();
  const tokens = await id.tokens(app, { browser, user: 'bob', scope: 'openid offline_access' });
  id.installation.must(['user', 'disable', 'bob@example.org']);
  const [request] = await app.web.arrived(1);
  assert.equal((await logoutToken(app, request)).sub, claimsOf(tokens.id_token).sub);
  assert.equal((await id.userinfo(tokens.access_token)).status, 401);
  assert.equal((await id.token(app, { grant_type: 'refresh_token', refresh_token: tokens.refresh_token })).body.error, 'invalid_grant');
  const { page } = await id.authorize(browser, app, {}, { user: 'bob', password: passwords.bob });
  assert.equal(page.kind, 'sign-in');
  id.installation.must(['user', 'enable', 'bob@example.org']);
  assert.ok((await id.authorize(browser, app, {}, { user: 'bob' })).parameters.code);
});
