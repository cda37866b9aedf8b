// The basic profile's tests about claims: scopes, userinfo, the claims parameter.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { IdentityServer, claimsOf } from './lib/identity.mjs';

let id, app;
before(async () => {
  id = await IdentityServer.start();
  app = id.addClient('app');
});
after(() => id?.remove());

const endpoint = () => new URL('/oauth2/userinfo', id.issuer);
async function asked(parameters, user = 'admin') {
  const tokens = await id.tokens(app, { user, ...parameters });
  return { ...tokens, info: await (await id.userinfo(tokens.access_token)).json(), claims: claimsOf(tokens.id_token) };
}
const profile = { name: 'Ada Admin', preferred_username: 'admin@example.org' };
const email = { email: 'admin@example.org', email_verified: true };

test('oidcc-scope-profile', async () => {
  const { info, claims } = await asked({ scope: 'openid profile' });
  assert.deepEqual(info, { sub: claims.sub, ...profile });
  assert.equal('name' in claims, false);  // by scope they come from userinfo
});

test('oidcc-scope-email', async () => {
  const { info, claims } = await asked({ scope: 'openid email' });
  assert.deepEqual(info, { sub: claims.sub, ...email });
});

for (const scope of ['address', 'phone'])
  test(`oidcc-scope-${scope}: unknown here, so passed over and not granted`, async () => {
    const { info, scope: granted, claims } = await asked({ scope: `openid ${scope}` });
    assert.deepEqual(info, { sub: claims.sub });
    assert.equal(granted, 'openid');
  });

test('oidcc-scope-all', async () => {
  const { info, scope, claims } = await asked({ scope: 'openid profile email address phone groups' });
  assert.deepEqual(info, { sub: claims.sub, ...profile, ...email, groups: ['admins', 'users'] });
  assert.equal(scope, 'openid profile email groups');
});

test('oidcc-userinfo-get', async () => {
  const { access_token } = await asked({});
  const answer = await id.userinfo(access_token);
  assert.equal(answer.status, 200);
  assert.match(answer.headers.get('content-type'), /^application\/json/);
  assert.equal(answer.headers.get('cache-control'), 'no-store');
});

test('oidcc-userinfo-post-header', async () => {
  const { access_token, claims } = await asked({});
  const answer = await id.userinfo(access_token, { method: 'POST' });
  assert.equal((await answer.json()).sub, claims.sub);
});

test('oidcc-userinfo-post-body', async () => {
  const { access_token, claims } = await asked({});
  const answer = await fetch(endpoint(), { method: 'POST', body: new URLSearchParams({ access_token }) });
  assert.equal((await answer.json()).sub, claims.sub);
});

test('userinfo takes no token from the address, none twice, and tells what is wrong with one', async () => {
  const { access_token } = await asked({});
  const bare = await fetch(`${endpoint()}?access_token=${access_token}`);
  assert.equal(bare.status, 401);
  assert.equal(bare.headers.get('www-authenticate'), 'Bearer');
  const twice = await id.userinfo(access_token, { method: 'POST', body: new URLSearchParams({ access_token }) });
  assert.equal(twice.status, 400);
  const wrong = await id.userinfo('none-such');
  assert.equal(wrong.status, 401);
  assert.match(wrong.headers.get('www-authenticate'), /^Bearer .*error="invalid_token"/);
  const { access_token: narrow } = await id.tokens(app, { scope: 'email' });
  const answer = await id.userinfo(narrow);
  assert.equal(answer.status, 403);
  assert.match(answer.headers.get('www-authenticate'), /error="insufficient_scope"/);
});

test('oidcc-claims-essential: name is in userinfo, or in the ID token, where it was asked for', async () => {
  const { info } = await asked({ claims: JSON.stringify({ userinfo: { name: { essential: true } } }) });
  assert.equal(info.name, profile.name);
  const { claims } = await asked({ claims: JSON.stringify({ id_token: { name: { essential: true }, email: null, auth_time: { essential: true } } }) });
  assert.equal(claims.name, profile.name);
  assert.equal(claims.email, email.email);
  assert.ok(claims.auth_time);
});

test('a claim that was asked for by name is consented to like its scope', async () => {
  const browser = id.browser();
  const { url } = id.authorizeUrl(app, { claims: JSON.stringify({ userinfo: { groups: null } }) });
  const page = await id.signIn(browser, await browser.get(url), 'bob');
  assert.equal(page.kind, 'consent');
  assert.match(page.text, /groups|teams/i);
});

test('claims that are not JSON, or for another subject, are refused', async () => {
  const { parameters } = await id.authorize(id.browser(), app, { claims: '{' });
  assert.equal(parameters.error, 'invalid_request');
  const other = JSON.stringify({ id_token: { sub: { value: 'somebody-else' } } });
  assert.equal((await id.authorize(id.browser(), app, { claims: other })).parameters.error, 'login_required');
});
