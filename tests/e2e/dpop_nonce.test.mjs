// DPoP nonces of the server (RFC 9449 §8 and §9), with oauth4webapi and openid-client as the clients that meet them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { IdentityServer } from './lib/identity.mjs';
import { addKeyClient, discover, dpopProof, makeKey } from './lib/relying_party.mjs';

const insecure = { [oauth.allowInsecureRequests]: true };
let id, as;
before(async () => {
  id = await IdentityServer.start();
  const issuer = new URL(id.issuer);
  as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { ...insecure, algorithm: 'oidc' }));
});
after(() => id?.remove());

const strict = (name, args = []) => id.addClient(name, ['--public', '--require-dpop', '--require-dpop-nonce', ...args]);
const token = async (client, back, key, claims) => id.exchange(client, back, {
  headers: { dpop: await dpopProof(key, 'POST', `${id.issuer}/oauth2/token`, { claims }) },
});

test('RFC 9449 §8: the token endpoint asks for a nonce with 400, keeps the code, and gives the next with each answer', async () => {
  const client = strict('raw');
  const key = await makeKey();
  const back = await id.authorize(id.browser(), client, { scope: 'openid offline_access' });
  const asked = await token(client, back, key);
  assert.deepEqual([asked.status, asked.body.error], [400, 'use_dpop_nonce']);
  const nonce = asked.headers.get('dpop-nonce');
  assert.ok(nonce);
  const wrong = await token(client, back, key, { nonce: nonce.slice(1) + 'A' });
  assert.deepEqual([wrong.status, wrong.body.error], [400, 'use_dpop_nonce']);
  const given = await token(client, back, key, { nonce });
  assert.deepEqual([given.status, given.body.token_type], [200, 'DPoP']);
  assert.ok(given.headers.get('dpop-nonce'));
  assert.match(asked.headers.get('cache-control') ?? '', /no-store/);
});

test('RFC 9449 §9: userinfo asks with 401 and a challenge, and the nonce of any answer will do', async () => {
  const client = strict('resource');
  const key = await makeKey();
  const back = await id.authorize(id.browser(), client);
  const nonce = (await token(client, back, key)).headers.get('dpop-nonce');
  const { body: { access_token: accessToken } } = await token(client, back, key, { nonce });
  const userinfo = async (claims) => id.userinfo(accessToken, {
    scheme: 'DPoP', headers: { dpop: await dpopProof(key, 'GET', `${id.issuer}/oauth2/userinfo`, { accessToken, claims }) },
  });
  const asked = await userinfo({});
  assert.equal(asked.status, 401);
  assert.match(asked.headers.get('www-authenticate'), /^DPoP .*error="use_dpop_nonce"/);
  const answer = await userinfo({ nonce: asked.headers.get('dpop-nonce') });
  assert.equal(answer.status, 200);
  assert.ok(answer.headers.get('dpop-nonce'));
  assert.equal((await userinfo({ nonce: answer.headers.get('dpop-nonce') })).status, 200);
});

test('oauth4webapi learns the nonce by itself: one refusal, then never again', async () => {
  const client = strict('library');
  const back = await id.authorize(id.browser(), client, { scope: 'openid offline_access' });
  const key = await oauth.generateKeyPair('ES256');
  const DPoP = oauth.DPoP({ client_id: client.id }, key);
  const parameters = oauth.validateAuthResponse(as, { client_id: client.id }, back.redirect, back.state);
  const redeem = async () => oauth.processAuthorizationCodeResponse(as, { client_id: client.id },
    await oauth.authorizationCodeGrantRequest(as, { client_id: client.id }, oauth.None(), parameters, client.redirect, back.verifier, { ...insecure, DPoP }));
  await assert.rejects(redeem(), (error) => oauth.isDPoPNonceError(error));
  const got = await redeem();
  assert.equal(got.token_type, 'dpop');
  for (let i = 0; i < 2; ++i) {
    const response = await oauth.refreshTokenGrantRequest(as, { client_id: client.id }, oauth.None(), got.refresh_token, { ...insecure, DPoP });
    await oauth.processRefreshTokenResponse(as, { client_id: client.id }, response);
    const seen = await oauth.userInfoRequest(as, { client_id: client.id }, got.access_token, { ...insecure, DPoP });
    assert.equal(seen.status, 200);
    await seen.body?.cancel();
  }
});

test('openid-client signs in with the fapi2 template: PAR, private_key_jwt, PKCE, DPoP with nonces', async () => {
  const keys = [await makeKey()];
  const client = addKeyClient(id, 'bank', keys, ['--template', 'fapi2', '--url', 'https://bank.example.org']);
  assert.deepEqual(['require_par', 'require_dpop', 'require_dpop_nonce', 'require_pkce'].map((name) => client.client[name]), [true, true, true, true]);
  const [redirect] = client.client.redirect_uris;
  const config = await discover(id, client, openid.PrivateKeyJwt({ key: keys[0].privateKey, kid: keys[0].jwk.kid }));
  const DPoP = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair('ES256'));
  const verifier = openid.randomPKCECodeVerifier();
  const state = openid.randomState();
  const url = await openid.buildAuthorizationUrlWithPAR(config, {
    redirect_uri: redirect, scope: 'openid email', state, code_challenge_method: 'S256',
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
  }, { DPoP });
  const browser = id.browser();
  const back = await id.complete(browser, await browser.get(url));
  const tokens = await openid.authorizationCodeGrant(config, back.redirect, { pkceCodeVerifier: verifier, expectedState: state }, undefined, { DPoP });
  const info = await openid.fetchUserInfo(config, tokens.access_token, tokens.claims().sub, { DPoP });
  assert.equal(info.email, 'alice@example.org');
});

test('without being asked to, the server neither asks for nonces nor sends any', async () => {
  const client = id.addClient('lax', ['--public', '--require-dpop']);
  const back = await id.authorize(id.browser(), client);
  const given = await token(client, back, await makeKey());
  assert.equal(given.status, 200);
  assert.equal(given.headers.get('dpop-nonce'), null);
});

test('sign_in.dpop_nonce = required asks every client that uses DPoP, and no other', async () => {
  await id.restart({ settings: { MUHUR_SIGN_IN_DPOP_NONCE: 'required' } });
  const client = id.addClient('everybody', ['--public']);
  const key = await makeKey();
  const bound = await id.authorize(id.browser(), client);
  const asked = await token(client, bound, key);
  assert.equal(asked.body.error, 'use_dpop_nonce');
  assert.equal((await token(client, bound, key, { nonce: asked.headers.get('dpop-nonce') })).status, 200);
  const plain = await id.exchange(client, await id.authorize(id.browser(), client));
  assert.deepEqual([plain.status, plain.body.token_type], [200, 'Bearer']);
});
