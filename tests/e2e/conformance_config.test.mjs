// The configuration profile, and what the metadata promises in the others: discovery, features left out.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { IdentityServer } from './lib/identity.mjs';

let id, metadata;
before(async () => {
  id = await IdentityServer.start();
  metadata = (await id.json('/.well-known/openid-configuration')).body;
});
after(() => id?.remove());

test('oidcc-discovery-endpoint-verification: all that OpenID Connect Discovery requires, and the truth', async () => {
  assert.equal(metadata.issuer, id.issuer);
  for (const name of ['authorization_endpoint', 'token_endpoint', 'userinfo_endpoint', 'jwks_uri'])
    assert.equal(new URL(metadata[name]).origin, id.issuer, name);
  assert.deepEqual(metadata.response_types_supported, ['code']);
  assert.deepEqual(metadata.subject_types_supported, ['public']);
  assert.ok(metadata.id_token_signing_alg_values_supported.includes('RS256'));
  assert.ok(metadata.scopes_supported.includes('openid'));
  assert.ok(metadata.claims_supported.includes('sub'));
  assert.equal(metadata.claims_parameter_supported, true);
  for (const name of Object.keys(metadata).filter((name) => name.endsWith('_alg_values_supported')))
    assert.ok(!metadata[name].includes('none'), name);
});

test('both documents are the same, for every origin, and may be kept for a while', async () => {
  const other = await id.json('/.well-known/oauth-authorization-server');
  assert.deepEqual(other.body, metadata);
  assert.equal(other.headers.get('access-control-allow-origin'), '*');
  assert.match(other.headers.get('cache-control'), /max-age=\d+/);
  assert.match(other.headers.get('content-type'), /^application\/json/);
});

test('the JWKS: public keys of every algorithm that is promised, each with kid, use and alg', async () => {
  const { body, headers } = await id.json('/oauth2/jwks');
  assert.deepEqual(body.keys.map(({ alg }) => alg).sort(), [...metadata.id_token_signing_alg_values_supported].sort());
  for (const key of body.keys) {
    assert.equal(key.use, 'sig');
    assert.match(key.kid, /^[\w-]{43}$/);
    for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k']) assert.equal(secret in key, false);
  }
  const again = await fetch(metadata.jwks_uri, { headers: { 'if-none-match': headers.get('etag') } });
  assert.equal(again.status, 304);
});

test('oidcc-rp-initiated-logout-discovery-endpoint-verification', () => {
  assert.equal(metadata.end_session_endpoint, `${id.issuer}/oauth2/logout`);
});

test('oidcc-backchannel-logout-discovery-endpoint-verification', () => {
  assert.equal(metadata.backchannel_logout_supported, true);
  assert.equal(metadata.backchannel_logout_session_supported, true);
});

test('oidcc-frontchannel-logout-discovery-endpoint-verification: left out, and not promised', () => {
  for (const name of ['frontchannel_logout_supported', 'frontchannel_logout_session_supported', 'check_session_iframe'])
    assert.ok(!metadata[name], name);
});

test('fapi2-security-profile-final-discovery-end-point-verification', () => {
  assert.ok(metadata.token_endpoint_auth_methods_supported.includes('private_key_jwt'));
  assert.deepEqual(metadata.code_challenge_methods_supported, ['S256']);
  assert.equal(metadata.pushed_authorization_request_endpoint, `${id.issuer}/oauth2/par`);
  assert.equal(metadata.authorization_response_iss_parameter_supported, true);
  for (const algorithm of ['ES256', 'PS256', 'Ed25519', 'EdDSA']) {
    assert.ok(metadata.dpop_signing_alg_values_supported.includes(algorithm), algorithm);
    assert.ok(metadata.token_endpoint_auth_signing_alg_values_supported.includes(algorithm), algorithm);
  }
});

test('what is left out is not promised: request objects, registration while it is off, the password grant', async () => {
  assert.equal(metadata.request_parameter_supported, false);
  assert.equal(metadata.request_uri_parameter_supported, false);
  assert.equal(metadata.registration_endpoint, undefined);
  assert.ok(!metadata.grant_types_supported.includes('password') && !metadata.grant_types_supported.includes('implicit'));
  const refused = await fetch(`${id.issuer}/oauth2/register`, { method: 'POST', headers: { 'content-type': 'application/json', authorization: 'Bearer x' }, body: '{"redirect_uris":["https://a.example/"]}' });
  assert.ok([401, 403, 404].includes(refused.status), `${refused.status}`);
});

test('every endpoint of the metadata is there', async () => {
  for (const [name, url] of Object.entries(metadata)) {
    if (!name.endsWith('_endpoint') && name !== 'jwks_uri') continue;
    const answer = await fetch(url, { method: name === 'jwks_uri' ? 'GET' : 'POST', body: name === 'jwks_uri' ? undefined : new URLSearchParams(), redirect: 'manual' });
    assert.ok(answer.status !== 404 && answer.status !== 405 && answer.status < 500, `${name}: ${answer.status}`);
    await answer.arrayBuffer();
  }
});
