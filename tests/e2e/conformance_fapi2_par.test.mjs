// FAPI 2.0 Security Profile (final): pushed requests, under the conformance suite's names.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { IdentityServer, pkce } from './lib/identity.mjs';
import { makeKey, verifyIdToken } from './lib/relying_party.mjs';
import { Fapi2Client } from './lib/relying_party_fapi2.mjs';

const name = (rest) => `fapi2-security-profile-final-${rest}`;
let id, app, other;
before(async () => {
  id = await IdentityServer.start();
  app = await Fapi2Client.make(id, 'app');
  other = await Fapi2Client.make(id, 'other', { alg: 'PS256' });
});
after(() => id?.remove());

const refused = ({ status, body }, error = 'invalid_request') => {
  assert.ok(status === 400 || status === 401, `${status} ${JSON.stringify(body)}`);
  assert.equal(body.error, error);
};
const errorPage = ({ page }) => {
  assert.equal(page.status, 400);
  assert.equal(page.location, undefined);
};

test(name('happy-flow'), async () => {
  for (const client of [app, other]) {
    const pushed = await client.push({ nonce: 'abc' });
    assert.equal(pushed.status, 201);
    assert.equal(pushed.headers.get('cache-control'), 'no-store');
    const back = await client.authorize(pushed);
    assert.deepEqual([back.parameters.state, back.parameters.iss], [pushed.state, id.issuer]);
    const { body } = await client.exchange(back);
    assert.equal(body.token_type, 'DPoP');
    const claims = await verifyIdToken(id, body.id_token, client.client.id);
    assert.equal(claims.nonce, 'abc');
    assert.equal((await client.resource(body.access_token)).status, 200);
  }
});

test(name('par-without-duplicate-parameters'), async () => {
  assert.ok((await app.authorize(await app.push())).parameters.code);
});

test(name('state-only-outside-request-object-not-used'), async () => {
  const back = await app.authorize(await app.push({ state: undefined }), { more: { state: 'outside', scope: 'openid groups', redirect_uri: 'https://evil.example/' } });
  assert.equal(back.parameters.state, undefined);
  assert.equal(back.redirect.origin + back.redirect.pathname, app.client.redirect);
  assert.equal((await app.exchange(back)).body.scope, 'openid email offline_access');
});

test(`${name('ensure-different-nonce-inside-and-outside-request-object')}, ${name('ensure-different-state-inside-and-outside-request-object')}`, async () => {
  const pushed = await app.push({ nonce: 'inside' });
  const back = await app.authorize(pushed, { more: { nonce: 'outside', state: 'outside' } });
  assert.equal(back.parameters.state, pushed.state);
  assert.equal((await verifyIdToken(id, (await app.exchange(back)).body.id_token, 'app')).nonce, 'inside');
});

test(name('ensure-unsigned-authorization-request-without-using-par-fails'), async () => {
  assert.equal((await id.authorize(id.browser(), app.client)).parameters.error, 'invalid_request');
});

test(name('par-attempt-reuse-request_uri'), async () => {
  const pushed = await app.push();
  const browser = id.browser();
  assert.ok((await app.authorize(pushed, { browser })).parameters.code);
  errorPage(await app.authorize(pushed, { browser }));
  errorPage(await app.authorize(pushed));
});

test(name('par-ensure-reused-request-uri-prior-to-auth-completion-succeeds'), async () => {
  const pushed = await app.push();
  const browser = id.browser();
  assert.equal((await browser.get(app.url(pushed))).kind, 'sign-in');  // looked at, and loaded again
  assert.ok((await app.authorize(pushed, { browser })).parameters.code);
});

test(name('par-attempt-to-use-request_uri-for-different-client'), async () => {
  const pushed = await app.push();
  errorPage(await other.authorize(pushed));
  assert.ok((await app.authorize(pushed)).parameters.code);
});

test(name('par-attempt-to-use-expired-request_uri: its life is told; what there never was is refused alike'), async () => {
  assert.equal((await app.push()).body.expires_in, 60);
  errorPage(await app.authorize({ body: { request_uri: `urn:ietf:params:oauth:request_uri:${'x'.repeat(43)}` } }));
});

test(name('par-authorization-request-containing-request_uri-form-param'), async () => {
  refused(await app.push({ request_uri: 'urn:ietf:params:oauth:request_uri:x' }));
  refused(await app.push({ request_uri: 'https://app.example.org/request.jwt' }));
});

test(name('par-attempt-invalid-http-method'), async () => {
  for (const method of ['GET', 'PUT', 'DELETE']) assert.equal((await fetch(`${id.issuer}/oauth2/par`, { method })).status, 405);
});

test(name('par-ensure-pkce-required'), async () => {
  refused(await app.push({ code_challenge: undefined, code_challenge_method: undefined }));
});

test(name('par-plain-pkce-rejected'), async () => {
  refused(await app.push({ code_challenge_method: 'plain', code_challenge: pkce().verifier }));
  refused(await app.push({ code_challenge_method: undefined }));  // plain is what absence means
});

test(name('ensure-pkce-code-verifier-required'), async () => {
  refused(await app.exchange(await app.authorize(await app.push()), {}, { code_verifier: undefined }), 'invalid_grant');
});

test(name('incorrect-pkce-code-verifier-rejected'), async () => {
  const back = await app.authorize(await app.push());
  refused(await app.exchange(back, {}, { code_verifier: pkce().verifier }), 'invalid_grant');
  refused(await app.exchange(back), 'invalid_grant');  // and it is spent
});

for (const [rest, redirect_uri] of [['ensure-redirect-uri-in-authorization-request', undefined], ['ensure-request-object-without-redirect-uri-fails', ''],
  ['ensure-registered-redirect-uri', 'https://app.example.org/other'], ['plain-fapi-tolerate-unregistered-redirect-uri: not tolerated', 'https://elsewhere.example.org/callback']])
  test(name(rest), async () => refused(await app.push({ redirect_uri })));

for (const response_type of ['code id_token', 'token'])
  test(name(`ensure-response-type-${response_type === 'token' ? 'token' : 'code-idtoken'}-fails`), async () => {
    refused(await app.push({ response_type }), 'unsupported_response_type');
  });

test(`${name('ensure-authorization-request-with-64-char-nonce-success')}, ${name('ensure-authorization-request-with-long-nonce')}`, async () => {
  for (const length of [64, 384]) {
    const nonce = 'n'.repeat(length);
    const { body } = await app.exchange(await app.authorize(await app.push({ nonce })));
    assert.equal((await verifyIdToken(id, body.id_token, 'app')).nonce, nonce);
  }
});

test(name('ensure-authorization-request-with-long-state'), async () => {
  const state = 'long state é '.repeat(80);
  assert.equal((await app.authorize(await app.push({ state }))).parameters.state, state);
});

test(`${name('ensure-authorization-request-without-nonce-success')}, ${name('ensure-authorization-request-without-state-success')}`, async () => {
  const back = await app.authorize(await app.push({ state: undefined }));
  assert.equal('state' in back.parameters, false);
  assert.equal('nonce' in (await verifyIdToken(id, (await app.exchange(back)).body.id_token, 'app')), false);
});

test(name('ensure-other-scope-order-succeeds'), async () => {
  assert.ok((await app.authorize(await app.push({ scope: 'offline_access email openid' }))).parameters.code);
});

test(name('user-rejects-authentication'), async () => {
  const back = await app.authorize(await app.push({ prompt: 'consent' }), { approve: false });
  assert.deepEqual([back.parameters.error, back.parameters.state, back.parameters.iss], ['access_denied', back.state, id.issuer]);
});

test(name('test-claims-parameter-identity-claims'), async () => {
  const claims = JSON.stringify({ id_token: { email: { essential: true }, name: null }, userinfo: { preferred_username: null } });
  const { body } = await app.exchange(await app.authorize(await app.push({ claims })));
  const told = await verifyIdToken(id, body.id_token, 'app');
  assert.deepEqual([told.email, told.name], ['alice@example.org', 'alice@example.org']);
  assert.equal((await (await app.resource(body.access_token)).json()).preferred_username, 'alice@example.org');
});

test(name('test-essential-acr-sca-claim'), async () => {
  const claims = JSON.stringify({ id_token: { acr: { essential: true, values: ['urn:openbanking:psd2:sca'] } } });
  assert.equal((await app.authorize(await app.push({ claims }))).parameters.error, 'unmet_authentication_requirements');
});

// What a client says of itself: one assertion for one server.
for (const [rest, claims] of [
  ['par-test-token-endpoint-url-as-audience-fails', () => ({ aud: `${id.issuer}/oauth2/token` })],
  ['par-test-par-endpoint-url-as-audience-fails', () => ({ aud: `${id.issuer}/oauth2/par` })],
  ['par-test-array-as-audience-fails', () => ({ aud: [id.issuer, 'https://other.example.org'] })],
  ['par-ensure-jwt-client-assertions-nbf-over-60-seconds-in-the-future-fails', () => { const at = Math.floor(Date.now() / 1000) + 70; return { iat: at, nbf: at, exp: at + 60 }; }],
])
  test(name(rest), async () => refused(await app.push({}, { assert: claims(), proof: null }), 'invalid_client'));

test(name('par-ensure-jwt-client-assertions-nbf-8-seconds-in-the-future-is-accepted'), async () => {
  assert.equal((await app.push({}, { assert: { nbf: Math.floor(Date.now() / 1000) + 8 }, proof: null })).status, 201);
});

test('RFC 9126: a client that is less strict may name the PAR or the token endpoint', async () => {
  const lax = await Fapi2Client.make(id, 'lax', { args: ['--set', 'require_dpop=false'] });
  for (const path of ['', '/oauth2/par', '/oauth2/token']) assert.equal((await lax.push({}, { assert: { aud: id.issuer + path }, proof: null })).status, 201);
  refused(await lax.push({}, { assert: { aud: `${id.issuer}/oauth2/introspect` }, proof: null }), 'invalid_client');
  refused(await lax.push({}, { by: await makeKey(), proof: null }), 'invalid_client');
});
