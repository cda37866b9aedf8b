// The dynamic profile: clients that register themselves (RFC 7591, OpenID Connect Dynamic Registration). Documents
// elsewhere (jwks_uri, sector_identifier_uri, request_uri) are left out on purpose: the server fetches nothing at a
// stranger's word, and says so at registration.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { IdentityServer } from './lib/identity.mjs';
import { assertion, makeKey, verifyIdToken } from './lib/relying_party.mjs';

let id, initial;
before(async () => {
  id = await IdentityServer.start({ settings: { MUHUR_SIGN_IN_DYNAMIC_REGISTRATION: 'true' } });
  initial = JSON.parse(id.run(['client', 'initial-token', '--uses', '100', '--json']).stdout).token;
});
after(() => id?.remove());

const callback = 'https://rp.example.org/callback';
async function send(metadata, token = initial, method = 'POST', url = '/oauth2/register') {
  const response = await fetch(new URL(url, id.issuer), { method, headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` }, body: JSON.stringify(metadata) });
  return { status: response.status, headers: response.headers, body: await response.json() };
}
async function register(metadata = {}) {
  const { status, body } = await send({ redirect_uris: [callback], ...metadata });
  assert.equal(status, 201, JSON.stringify(body));
  return { id: body.client_id, secret: body.client_secret, redirect: body.redirect_uris[0], metadata: body };
}
const refused = async (metadata, error = 'invalid_client_metadata') => {
  const { status, body } = await send({ redirect_uris: [callback], ...metadata });
  assert.equal(status, 400);
  assert.equal(body.error, error);
  return body.error_description;
};
async function shown(client, parameters) {
  const browser = id.browser();
  return id.signIn(browser, await browser.get(id.authorizeUrl(client, parameters).url));
}

test('oidcc-server: a client of its own making gets its tokens', async () => {
  const client = await register({ client_name: 'Self made', grant_types: ['authorization_code', 'refresh_token'] });
  assert.equal(client.metadata.client_secret_expires_at, 0);
  assert.ok(client.metadata.registration_client_uri.startsWith(`${id.issuer}/oauth2/register/`));
  const tokens = await id.tokens(client, { scope: 'openid email offline_access' });
  assert.equal((await verifyIdToken(id, tokens.id_token, client.id)).alg, client.metadata.id_token_signed_response_alg);
  assert.equal((await id.token(client, { grant_type: 'refresh_token', refresh_token: tokens.refresh_token })).status, 200);
});

test('oidcc-redirect-uri-query-OK: a registered query comes back with & before what is added', async () => {
  const client = await register({ redirect_uris: [`${callback}?foo=bar`] });
  const back = await id.authorize(id.browser(), client, { state: 'a b&c=d+é' });
  assert.match(back.redirect.search, /^\?foo=bar&code=/);
  assert.equal(back.parameters.state, 'a b&c=d+é');
  assert.equal((await id.exchange(client, back)).status, 200);
});

for (const [name, registered, redirect_uri] of [['added', callback, `${callback}?foo=bar`], ['mismatch', `${callback}?foo=bar`, `${callback}?foo=baz`]])
  test(`oidcc-redirect-uri-query-${name}: an error page`, async () => {
    const client = await register({ redirect_uris: [registered] });
    const { page } = await id.authorize(id.browser(), client, { redirect_uri });
    assert.equal(page.status, 400);
    assert.equal(page.location, undefined);
  });

test('oidcc-redirect-uri-regfrag: refused at registration, as is all that is no place for a code', async () => {
  for (const uri of [`${callback}#foo`, 'javascript:alert(1)', 'data:text/html,x', 'http://rp.example.org/callback', 'https://*.example.org/', 'https://a@b.example.org/', 'callback'])
    await refused({ redirect_uris: [uri] }, 'invalid_redirect_uri');
});

test('oidcc-registration-logo-uri, oidcc-registration-policy-uri, oidcc-registration-tos-uri: kept; policy and terms are linked where consent is asked', async () => {
  const client = await register({ logo_uri: 'https://rp.example.org/logo.png', policy_uri: 'https://rp.example.org/policy', tos_uri: 'https://rp.example.org/tos', client_uri: 'https://rp.example.org/' });
  const page = await shown(client);
  assert.equal(page.kind, 'consent');
  for (const link of ['policy', 'tos', '']) assert.ok(page.text.includes(`href="https://rp.example.org/${link}"`), link);
  // A picture from elsewhere would tell its server who signs in where: it is not loaded.
  assert.equal(client.metadata.logo_uri, 'https://rp.example.org/logo.png');
  assert.match(page.headers.get('content-security-policy'), /img-src 'self'(;|$)/);
  for (const name of ['logo_uri', 'policy_uri', 'tos_uri']) await refused({ [name]: 'javascript:alert(1)' });
});

test('oidcc-registration-jwks-uri, oidcc-ensure-client-assertion-with-iss-aud-succeeds: keys by reference are refused; keys by value work', async () => {
  assert.match(await refused({ jwks_uri: 'https://rp.example.org/jwks', token_endpoint_auth_method: 'private_key_jwt' }), /jwks_uri/);
  await refused({ token_endpoint_auth_method: 'private_key_jwt' });
  const key = await makeKey('ES256');
  const client = await register({ token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [key.jwk] } });
  assert.equal(client.secret, undefined);
  const back = await id.authorize(id.browser(), client);
  assert.equal((await id.exchange(client, back, { fields: await assertion(id, { ...client, keys: [key] }) })).status, 200);
});

test('oidcc-registration-sector-uri, oidcc-registration-sector-bad: pairwise subjects are refused', async () => {
  await refused({ sector_identifier_uri: 'https://rp.example.org/sector.json' });
  await refused({ subject_type: 'pairwise' });
});

test('oidcc-request-uri-unsigned, oidcc-request-uri-signed-rs256, oidcc-frontchannel-rp-initiated-logout: refused at registration', async () => {
  for (const metadata of [{ request_uris: ['https://rp.example.org/r.jwt'] }, { request_object_signing_alg: 'RS256' }, { request_object_signing_alg: 'none' },
    { frontchannel_logout_uri: 'https://rp.example.org/out' }, { id_token_encrypted_response_alg: 'RSA-OAEP' }, { software_statement: 'e30.e30.' }])
    await refused(metadata);
});

test('oidcc-idtoken-rs256, oidcc-idtoken-unsigned: RS256 for who asks for it, unsigned for nobody', async () => {
  const client = await register({ id_token_signed_response_alg: 'RS256' });
  const { id_token } = await id.tokens(client);
  assert.equal((await verifyIdToken(id, id_token, client.id)).alg, 'RS256');
  for (const id_token_signed_response_alg of ['none', 'HS256', 'PS256']) await refused({ id_token_signed_response_alg });
});

test('oidcc-userinfo-rs256: a signed answer, for this client, from this issuer', async () => {
  const client = await register({ userinfo_signed_response_alg: 'RS256' });
  const { access_token } = await id.tokens(client, { scope: 'openid email' });
  const answer = await id.userinfo(access_token);
  assert.match(answer.headers.get('content-type'), /^application\/jwt/);
  const claims = await verifyIdToken(id, await answer.text(), client.id);
  assert.deepEqual([claims.alg, claims.email], ['RS256', 'alice@example.org']);
  await refused({ userinfo_signed_response_alg: 'none' });
});

test('oidcc-refresh-token-rp-key-rotation: a client that changed its keys goes on with its refresh token', async () => {
  const [old, fresh] = [await makeKey('ES256'), await makeKey('ES256')];
  const metadata = { redirect_uris: [callback], token_endpoint_auth_method: 'private_key_jwt', grant_types: ['authorization_code', 'refresh_token'], jwks: { keys: [old.jwk] } };
  const client = { ...(await register(metadata)), keys: [old] };
  const back = await id.authorize(id.browser(), client, { scope: 'openid offline_access' });
  const { body } = await id.exchange(client, back, { fields: await assertion(id, client) });
  const own = client.metadata.registration_access_token;
  const changed = await send({ ...metadata, client_id: client.id, jwks: { keys: [fresh.jwk] } }, own, 'PUT', client.metadata.registration_client_uri);
  assert.equal(changed.status, 200);
  const refresh = async (key) => id.token(client, { grant_type: 'refresh_token', refresh_token: body.refresh_token, ...(await assertion(id, client, {}, { key })) });
  assert.equal((await refresh(old)).body.error, 'invalid_client');
  assert.equal((await refresh(fresh)).status, 200);
});

test('a client gives itself no power: mail, introspection, others’ scopes, plain http for notices', async () => {
  await refused({ scope: 'openid mail' });
  await refused({ backchannel_logout_uri: 'http://127.0.0.1:9/' });
  await refused({ grant_types: ['password'] });
  await refused({ response_types: ['token'] });
  const client = await register({ may_introspect: true, skip_consent: true, first_party: true });
  assert.equal((await shown(client)).kind, 'consent');
  for (const [token, status] of [['', 401], ['wrong', 401]]) assert.equal((await send({ redirect_uris: [callback] }, token)).status, status);
});
