// FAPI 2.0 Security Profile (final): the token endpoint, under the conformance suite's names.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { IdentityServer } from './lib/identity.mjs';
import { makeKey } from './lib/relying_party.mjs';
import { Fapi2Client } from './lib/relying_party_fapi2.mjs';

const name = (rest) => `fapi2-security-profile-final-${rest}`;
let id, app, other;
before(async () => {
  id = await IdentityServer.start();
  app = await Fapi2Client.make(id, 'app');
  other = await Fapi2Client.make(id, 'other', { alg: 'EdDSA' });
});
after(() => id?.remove());

const code = async (client = app) => client.authorize(await client.push());
const refused = ({ status, body }, error) => {
  assert.ok(status === 400 || status === 401, `${status} ${JSON.stringify(body)}`);
  assert.equal(body.error, error);
};

test(name('attempt-reuse-authorization-code-after-one-second'), async () => {
  const back = await code();
  const { body } = await app.exchange(back);
  await setTimeout(1_000);
  refused(await app.exchange(back), 'invalid_grant');
  assert.equal((await app.resource(body.access_token)).status, 401);
});

test(name('ensure-authorization-code-is-bound-to-client'), async () => {
  const back = await code();
  refused(await other.exchange(back, { proof: { key: app.key } }), 'invalid_grant');
  refused(await app.exchange(back), 'invalid_grant');  // burnt by that
});

test(name('ensure-token-endpoint-fails-with-expired-auth-code: one that there never was is refused alike'), async () => {
  refused(await app.exchange({ parameters: { code: 'x'.repeat(43) }, verifier: 'x'.repeat(43) }), 'invalid_grant');
});

test(name('ensure-client-assertion-in-token-endpoint'), async () => {
  refused(await app.exchange(await code(), { assert: false }), 'invalid_client');
});

test(name('ensure-client-id-in-token-endpoint: another client’s beside an assertion is refused'), async () => {
  refused(await app.exchange(await code(), {}, { client_id: 'other' }), 'invalid_client');
  assert.equal((await app.exchange(await code(), {}, { client_id: 'app' })).status, 200);
});

for (const [rest, claims] of [
  ['ensure-client-assertion-with-exp-is-5-minutes-in-past-fails', () => { const now = Math.floor(Date.now() / 1000); return { iat: now - 360, exp: now - 300 }; }],
  ['ensure-client-assertion-with-no-sub-fails', () => ({ sub: undefined })],
  ['ensure-client-assertion-with-wrong-aud-fails', () => ({ aud: 'https://other.example.org' })],
  ['ensure-invalid-client-assertions-fail: no exp', () => ({ exp: undefined })],
  ['ensure-invalid-client-assertions-fail: no jti', () => ({ jti: undefined })],
  ['ensure-invalid-client-assertions-fail: no iss', () => ({ iss: undefined })],
  ['ensure-invalid-client-assertions-fail: another iss', () => ({ iss: 'other' })],
  ['ensure-invalid-client-assertions-fail: no aud', () => ({ aud: undefined })],
])
  test(name(rest), async () => {
    const back = await code();
    refused(await app.exchange(back, { assert: claims() }), 'invalid_client');
    assert.equal((await app.exchange(back)).status, 200);  // nothing was spent by that
  });

test(name('ensure-signed-client-assertion-with-RS256-fails'), async () => {
  const rsa = await Fapi2Client.make(id, 'rsa', { alg: 'PS256' });
  const [key] = rsa.client.keys;
  id.installation.must(['client', 'change', 'rsa', '--set', `jwks=${JSON.stringify(JSON.stringify({ keys: [{ ...key.jwk, alg: undefined }] }))}`]);
  const back = await code(rsa);
  const { privateKey } = key;
  const pkcs8 = await crypto.subtle.exportKey('pkcs8', privateKey);
  const again = await crypto.subtle.importKey('pkcs8', pkcs8, { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }, false, ['sign']);
  refused(await rsa.exchange(back, { by: { ...key, alg: 'RS256', privateKey: again } }), 'invalid_client');
  assert.equal((await rsa.exchange(back)).status, 200);
});

test('an assertion is good once, at whichever endpoint', async () => {
  const jti = 'used-once';
  assert.equal((await app.push({}, { assert: { jti }, proof: null })).status, 201);
  refused(await app.push({}, { assert: { jti }, proof: null }), 'invalid_client');
  refused(await app.exchange(await code(), { assert: { jti } }), 'invalid_client');
});

test(name('refresh-token'), async () => {
  const { refresh_token } = await app.tokens();
  const refresh = (client, how) => client.send('/oauth2/token', { grant_type: 'refresh_token', refresh_token }, how);
  refused(await refresh(app, { assert: false }), 'invalid_client');
  refused(await refresh(app, { proof: null }), 'invalid_dpop_proof');
  refused(await refresh(other), 'invalid_grant');
  refused(await refresh(app, { by: await makeKey() }), 'invalid_client');
  const { status, body } = await refresh(app);
  assert.equal(status, 200);
  assert.equal((await app.resource(body.access_token)).status, 200);
});

test(name('ensure-holder-of-key-required'), async () => {
  const back = await code();
  refused(await app.exchange(back, { proof: null }), 'invalid_dpop_proof');
  const { body } = await app.exchange(back);
  assert.equal((await id.userinfo(body.access_token)).status, 401);
});

test(name('access-token-type-header-case-sensitivity'), async () => {
  const { access_token } = await app.tokens();
  for (const scheme of ['dpop', 'DPOP', 'DpOp']) assert.equal((await app.resource(access_token, { scheme })).status, 200, scheme);
});

test('introspection answers a confidential client about its own tokens alone', async () => {
  const { access_token } = await app.tokens();
  const look = async (client) => (await client.send('/oauth2/introspect', { token: access_token }, { proof: null })).body;
  const own = await look(app);
  assert.deepEqual([own.active, own.client_id, own.token_type, own.cnf.jkt], [true, 'app', 'DPoP', app.key.thumbprint]);
  assert.deepEqual(await look(other), { active: false });
});
