// The OpenID Foundation's basic profile, test by test under its names: requests and codes. Where a feature is left
// out on purpose (request objects), the refusal is what is tested.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { IdentityServer, redirectUri } from './lib/identity.mjs';
import { verifyIdToken } from './lib/relying_party.mjs';

let id, app, other;
before(async () => {
  id = await IdentityServer.start();
  app = id.addClient('app');
  other = id.addClient('other', ['--redirect-uri', 'https://other.example.org/callback']);
});
after(() => id?.remove());

// The happy flow with one thing changed.
async function flow(parameters = {}, { client = app, user, browser = id.browser(), send } = {}) {
  const back = await id.authorize(browser, client, { scope: 'openid profile email', nonce: 'n-0S6_WzA2Mj', ...parameters }, { user });
  assert.ok(back.parameters.code, `${back.page.status} ${back.page.title} ${JSON.stringify(back.parameters)}`);
  assert.equal(back.parameters.state, back.state);
  const { status, body, headers } = await id.exchange(client, back, { send });
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(headers.get('cache-control'), 'no-store');
  return { ...body, back, claims: await verifyIdToken(id, body.id_token, client.id) };
}

test('oidcc-server: the happy flow', async () => {
  const { claims, token_type, expires_in } = await flow();
  assert.equal(token_type, 'Bearer');
  assert.equal(expires_in, 600);
  assert.equal(claims.nonce, 'n-0S6_WzA2Mj');
  assert.ok(claims.exp > claims.iat && claims.iat >= claims.auth_time);
});

test('oidcc-alternate-happy-flow: neither the scopes’ nor the parameters’ order matters', async () => {
  const { url, verifier, state } = id.authorizeUrl(app, { scope: 'email profile openid' });
  const turned = new URL(url);
  turned.search = new URLSearchParams([...url.searchParams].reverse());
  const browser = id.browser();
  const back = await id.complete(browser, await browser.get(turned));
  assert.equal((await id.exchange(app, { ...back, verifier, state })).status, 200);
});

test('oidcc-response-type-missing: an error to the client, and for every type but code', async () => {
  for (const [response_type, error] of [[undefined, 'invalid_request'], ['', 'invalid_request'], ['token', 'unsupported_response_type'],
    ['id_token', 'unsupported_response_type'], ['code id_token', 'unsupported_response_type'], ['none', 'unsupported_response_type']]) {
    const { parameters, state } = await id.authorize(id.browser(), app, { response_type });
    assert.deepEqual({ ...parameters, error_description: undefined }, { error, state, iss: id.issuer, error_description: undefined });
  }
});

test('oidcc-idtoken-signature: ES256, which the server says to be the client’s algorithm', async () => {
  const { claims } = await flow();
  assert.equal(claims.alg, 'ES256');
  assert.equal(app.client.id_token_algorithm, 'ES256');
});

test('oidcc-idtoken-rs256: RS256 for the client that has it', async () => {
  const client = id.addClient('rs256', ['--id-token-alg', 'RS256']);
  assert.equal((await flow({}, { client })).claims.alg, 'RS256');
});

test('oidcc-idtoken-unsigned: no client gets unsigned ID tokens', async () => {
  const { code, stderr } = id.run(['client', 'add', '--id', 'unsigned', '--redirect-uri', redirectUri, '--id-token-alg', 'none']);
  assert.equal(code, 1);
  assert.match(stderr, /id_token_algorithm/);
});

test('oidcc-ensure-request-without-nonce-succeeds-for-code-flow', async () => {
  assert.equal('nonce' in (await flow({ nonce: undefined })).claims, false);
});

test('oidcc-ensure-request-with-unknown-parameter-succeeds', async () => {
  await flow({ extra: 'foobar' });
});

test('oidcc-ensure-request-with-acr-values-succeeds: the ID token says what was reached', async () => {
  assert.equal((await flow({ acr_values: '1 2' })).claims.acr, '1');
  assert.equal((await flow({ acr_values: 'urn:mace:incommon:iap:gold' })).claims.acr, '1');
});

test('oidcc-ensure-request-with-valid-pkce-succeeds, and with another verifier does not', async () => {
  await flow();
  for (const code_verifier of ['x'.repeat(43), undefined]) {
    const back = await id.authorize(id.browser(), app);
    assert.equal((await id.exchange(app, back, { fields: { code_verifier } })).body.error, 'invalid_grant');
  }
});

test('oidcc-ensure-registered-redirect-uri: an error page, no redirect', async () => {
  for (const redirect_uri of ['https://app.example.org/callback/more', 'https://app.example.org/', `${redirectUri}?foo=bar`, `${redirectUri}#x`, other.redirect]) {
    const { page } = await id.authorize(id.browser(), app, { redirect_uri });
    assert.equal(page.status, 400);
    assert.equal(page.location, undefined);
    assert.equal(page.errorCode, 'invalid_request');
  }
});

test('oidcc-ensure-redirect-uri-in-authorization-request: never guessed', async () => {
  const two = id.addClient('two-uris', ['--redirect-uri', redirectUri, '--redirect-uri', 'https://app.example.org/second']);
  for (const client of [two, app]) {
    const { page } = await id.authorize(id.browser(), client, { redirect_uri: undefined });
    assert.equal(page.status, 400);
    assert.equal(page.location, undefined);
  }
});

test('oidcc-ensure-post-request-succeeds: also from another site, with the session it may have', async () => {
  const browser = id.browser();
  for (let round = 0; round < 2; ++round) {
    const { url, verifier } = id.authorizeUrl(app);
    const page = await browser.post(url.pathname, url.searchParams, { from: 'https://app.example.org' });
    assert.equal(page.kind, round === 0 ? 'sign-in' : undefined);
    const back = await id.complete(browser, page);
    assert.equal((await id.exchange(app, { ...back, verifier })).status, 200);
  }
});

test('oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported: rejected', async () => {
  const request = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(JSON.stringify({ redirect_uri: 'https://evil.example/' })).toString('base64url')}.`;
  const { parameters, redirect } = await id.authorize(id.browser(), app, { request });
  assert.equal(parameters.error, 'request_not_supported');
  assert.equal(redirect.origin + redirect.pathname, redirectUri);
});

test('oidcc-ensure-request-object-with-redirect-uri: nothing inside an object counts', async () => {
  const inside = Buffer.from(JSON.stringify({ client_id: 'app', redirect_uri: 'https://app.example.org/inside' })).toString('base64url');
  const { page } = await id.authorize(id.browser(), app, { redirect_uri: 'https://app.example.org/outside', request: `eyJhbGciOiJub25lIn0.${inside}.` });
  assert.equal(page.status, 400);
  assert.equal(page.location, undefined);
});

test('oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported: rejected, and not fetched', async () => {
  const { parameters } = await id.authorize(id.browser(), app, { request_uri: 'https://app.example.org/request.jwt' });
  assert.equal(parameters.error, 'request_uri_not_supported');
});

test('oidcc-server-client-secret-post: the happy flow with the secret in the body', async () => {
  const client = id.addClient('post', ['--auth', 'client_secret_post']);
  await flow({}, { client, send: 'post' });
});

test('oidcc-codereuse: the second use of a code is invalid_grant', async () => {
  const { back } = await flow();
  const again = await id.exchange(app, back);
  assert.equal(again.status, 400);
  assert.equal(again.body.error, 'invalid_grant');
});

test('oidcc-codereuse-30seconds: a second use later takes back what the first one gave', async () => {
  const { back, access_token, refresh_token } = await flow();
  await setTimeout(1_000);  // as long as one likes: what is remembered of a code outlives it (tests/oidc)
  assert.equal((await id.userinfo(access_token)).status, 200);
  assert.equal((await id.exchange(app, back)).body.error, 'invalid_grant');
  assert.equal((await id.userinfo(access_token)).status, 401);
  assert.deepEqual((await id.introspect(app, access_token)).body, { active: false });
  assert.equal((await id.token(app, { grant_type: 'refresh_token', refresh_token })).body.error, 'invalid_grant');
});

test('oidcc-refresh-token: it works, for its client alone', async () => {
  const { refresh_token, claims } = await flow({ scope: 'openid email offline_access' });
  const stolen = await id.token(other, { grant_type: 'refresh_token', refresh_token });
  assert.equal(stolen.body.error, 'invalid_grant');
  const bare = await id.token(app, { grant_type: 'refresh_token', refresh_token }, { send: 'none' });
  assert.equal(bare.body.error, 'invalid_client');
  const { status, body } = await id.token(app, { grant_type: 'refresh_token', refresh_token });
  assert.equal(status, 200);
  const renewed = await verifyIdToken(id, body.id_token, app.id);
  for (const name of ['sub', 'aud', 'iss', 'auth_time', 'sid', 'acr']) assert.deepEqual(renewed[name], claims[name], name);
});
