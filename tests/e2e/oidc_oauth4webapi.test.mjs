// oauth4webapi, which validates every answer to the letter: metadata, authorization responses, token answers, JWT
// access tokens as a resource server sees them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as oauth from 'oauth4webapi';
import { IdentityServer } from './lib/identity.mjs';
import { addKeyClient, makeKey } from './lib/relying_party.mjs';

const insecure = { [oauth.allowInsecureRequests]: true };
const api = 'https://api.example.org/';
let id, as;
before(async () => {
  id = await IdentityServer.start({ settings: { MUHUR_SIGN_IN_DYNAMIC_REGISTRATION: 'true' } });
  const issuer = new URL(id.issuer);
  as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { ...insecure, algorithm: 'oidc' }));
});
after(() => id?.remove());

// A code for the client, through validateAuthResponse.
async function code(client, parameters = {}, how) {
  const nonce = oauth.generateRandomNonce();
  const back = await id.authorize(id.browser(), client, { scope: 'openid email offline_access', nonce, ...parameters }, how);
  return { nonce, verifier: back.verifier, parameters: oauth.validateAuthResponse(as, { client_id: client.id }, back.redirect, back.state) };
}
async function redeem(client, auth, { DPoP, parameters, checks, ...how } = {}) {
  const got = await code(client, parameters, how);
  const options = { ...insecure, DPoP };
  const response = await oauth.authorizationCodeGrantRequest(as, { client_id: client.id }, auth, got.parameters, client.redirect, got.verifier, options);
  return oauth.processAuthorizationCodeResponse(as, { client_id: client.id }, response, { expectedNonce: got.nonce, requireIdToken: true, ...checks });
}

test('both metadata documents (OIDC and RFC 8414) are valid and the same', async () => {
  const issuer = new URL(id.issuer);
  const oauth2 = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { ...insecure, algorithm: 'oauth2' }));
  assert.deepEqual(oauth2, as);
  assert.equal(as.authorization_response_iss_parameter_supported, true);
  for (const [name, value] of Object.entries(as))
    if (/_endpoint$|_uri$/.test(name)) assert.ok(value.startsWith(`${id.issuer}/`), name);
});

test('an authorization response passes with its state and issuer, and with no other', async () => {
  const client = id.addClient('responses', ['--public']);
  const back = await id.authorize(id.browser(), client);
  const check = (change, state = back.state) => {
    const url = new URL(back.redirect);
    change?.(url.searchParams);
    return () => oauth.validateAuthResponse(as, { client_id: client.id }, url, state);
  };
  check()();
  assert.throws(check((p) => p.delete('iss')), /iss/);
  assert.throws(check((p) => p.set('iss', 'https://elsewhere.example.org')), /iss/);
  assert.throws(check(undefined, 'other'), /state/);
  const refused = await id.authorize(id.browser(), client, {}, { user: 'bob', approve: false });
  assert.throws(() => oauth.validateAuthResponse(as, { client_id: client.id }, refused.redirect, refused.state),
    (error) => error instanceof oauth.AuthorizationResponseError && error.error === 'access_denied');
});

test('code, refresh, introspection and revocation by client_secret_basic', async () => {
  const client = id.addClient('basic');
  const auth = oauth.ClientSecretBasic(client.secret);
  const tokens = await redeem(client, auth, { checks: { maxAge: 600 }, parameters: { max_age: '600' } });
  const claims = oauth.getValidatedIdTokenClaims(tokens);
  const user = await oauth.userInfoRequest(as, { client_id: client.id }, tokens.access_token, insecure);
  assert.equal((await oauth.processUserInfoResponse(as, { client_id: client.id }, claims.sub, user)).email, 'alice@example.org');
  const refresh = await oauth.processRefreshTokenResponse(as, { client_id: client.id },
    await oauth.refreshTokenGrantRequest(as, { client_id: client.id }, auth, tokens.refresh_token, insecure));
  const seen = await oauth.processIntrospectionResponse(as, { client_id: client.id },
    await oauth.introspectionRequest(as, { client_id: client.id }, auth, refresh.access_token, insecure));
  assert.equal(seen.active, true);
  await oauth.processRevocationResponse(await oauth.revocationRequest(as, { client_id: client.id }, auth, refresh.refresh_token, insecure));
  const after = await oauth.processIntrospectionResponse(as, { client_id: client.id },
    await oauth.introspectionRequest(as, { client_id: client.id }, auth, refresh.access_token, insecure));
  assert.deepEqual(after, { active: false });
});

test('a wrong secret is a challenge that the library can read', async () => {
  const client = id.addClient('wrong');
  const response = await oauth.clientCredentialsGrantRequest(as, { client_id: client.id }, oauth.ClientSecretBasic('not it'), {}, insecure);
  await assert.rejects(oauth.processClientCredentialsResponse(as, { client_id: client.id }, response), (error) => {
    assert.ok(error instanceof oauth.WWWAuthenticateChallengeError || error.error === 'invalid_client');
    assert.equal(response.status, 401);
    assert.match(response.headers.get('www-authenticate'), /^Basic /);
    return true;
  });
});

for (const alg of ['ES256', 'RS256', 'EdDSA']) {
  test(`a resource server takes the JWT access token signed with ${alg} (RFC 9068), as bearer and with DPoP`, async () => {
    const client = id.addClient(`api-${alg.toLowerCase()}`, ['--access-token', 'jwt', '--resource', api, '--id-token-alg', alg]);
    const auth = oauth.ClientSecretBasic(client.secret);
    const at = (scheme, token, headers = {}) => new Request(`${api}things?x=1`, { headers: { authorization: `${scheme} ${token}`, ...headers } });
    const check = (request, audience = api) => oauth.validateJwtAccessToken(as, request, audience, { ...insecure });
    const parameters = { resource: api };
    const bearer = await redeem(client, auth, { parameters });
    const claims = await check(at('Bearer', bearer.access_token));
    assert.equal(claims.client_id, client.id);
    assert.deepEqual([claims.scope, claims.acr, claims.amr], ['openid email offline_access', '1', ['pwd']]);
    await assert.rejects(check(at('Bearer', bearer.access_token), 'https://other.example.org/'));
    await assert.rejects(check(at('Bearer', bearer.id_token)));  // an ID token is no access token
    const pair = await oauth.generateKeyPair('ES256', { extractable: true });
    const DPoP = oauth.DPoP({ client_id: client.id }, pair);
    const bound = await redeem(client, auth, { DPoP, parameters });
    await assert.rejects(check(at('Bearer', bound.access_token)));
    let sent;
    await oauth.protectedResourceRequest(bound.access_token, 'GET', new URL(`${api}things?x=1`), undefined, undefined, {
      DPoP, [oauth.customFetch]: async (url, options) => { sent = new Request(url, options); return new Response('{}'); },
    });
    assert.equal((await check(sent)).cnf.jkt, await DPoP.calculateThumbprint());
  });
}

test('userinfo is signed for a client that asks for it', async () => {
  const client = id.addClient('signed', ['--set', 'userinfo_signed_response=RS256']);
  const tokens = await redeem(client, oauth.ClientSecretBasic(client.secret));
  const metadata = { client_id: client.id, userinfo_signed_response_alg: 'RS256' };
  const response = await oauth.userInfoRequest(as, metadata, tokens.access_token, insecure);
  assert.match(response.headers.get('content-type'), /^application\/jwt/);
  const reply = await oauth.processUserInfoResponse(as, metadata, oauth.getValidatedIdTokenClaims(tokens).sub, response);
  await oauth.validateApplicationLevelSignature(as, response, insecure);
  assert.equal(reply.email, 'alice@example.org');
});

test('PAR, DPoP and private_key_jwt together', async () => {
  const client = addKeyClient(id, 'par', [await makeKey('EdDSA')], ['--require-par', '--require-dpop']);
  const [key] = client.keys;
  const auth = oauth.PrivateKeyJwt({ key: key.privateKey, kid: key.jwk.kid });
  const DPoP = oauth.DPoP({ client_id: client.id }, await oauth.generateKeyPair('ES256'));
  const verifier = oauth.generateRandomCodeVerifier();
  const parameters = new URLSearchParams({
    response_type: 'code', redirect_uri: client.redirect, scope: 'openid', state: 's', code_challenge_method: 'S256',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
  });
  const pushed = await oauth.processPushedAuthorizationResponse(as, { client_id: client.id },
    await oauth.pushedAuthorizationRequest(as, { client_id: client.id }, auth, parameters, { ...insecure, DPoP }));
  assert.equal(pushed.expires_in, 60);
  const browser = id.browser();
  const url = new URL(as.authorization_endpoint);
  url.search = new URLSearchParams({ client_id: client.id, request_uri: pushed.request_uri });
  const back = await id.complete(browser, await browser.get(url));
  const answer = oauth.validateAuthResponse(as, { client_id: client.id }, back.redirect, 's');
  const response = await oauth.authorizationCodeGrantRequest(as, { client_id: client.id }, auth, answer, client.redirect, verifier, { ...insecure, DPoP });
  const tokens = await oauth.processAuthorizationCodeResponse(as, { client_id: client.id }, response, { requireIdToken: true });
  assert.equal(tokens.token_type, 'dpop');
});

test('grants this server has not are refused in the words of RFC 6749', async () => {
  const client = id.addClient('grants');
  const auth = oauth.ClientSecretBasic(client.secret);
  for (const [grant, error] of [['password', 'unsupported_grant_type'], ['urn:ietf:params:oauth:grant-type:token-exchange', 'unsupported_grant_type'],
    ['client_credentials', 'unauthorized_client']]) {
    const response = await oauth.genericTokenEndpointRequest(as, { client_id: client.id }, auth, grant, { username: 'alice@example.org', password: 'x' }, insecure);
    await assert.rejects(oauth.processGenericTokenEndpointResponse(as, { client_id: client.id }, response), { error });
  }
});

test('registration and the device grant', async () => {
  const { token } = JSON.parse(id.run(['client', 'initial-token', '--json']).stdout);
  const grant = 'urn:ietf:params:oauth:grant-type:device_code';
  const made = await oauth.processDynamicClientRegistrationResponse(await oauth.dynamicClientRegistrationRequest(as, {
    grant_types: [grant], redirect_uris: [], response_types: [], token_endpoint_auth_method: 'none', scope: 'openid',
  }, { ...insecure, initialAccessToken: token }));
  const client = { client_id: made.client_id };
  const started = await oauth.processDeviceAuthorizationResponse(as, client,
    await oauth.deviceAuthorizationRequest(as, client, oauth.None(), { scope: 'openid' }, insecure));
  const poll = async () => oauth.processDeviceCodeResponse(as, client,
    await oauth.deviceCodeGrantRequest(as, client, oauth.None(), started.device_code, insecure));
  await assert.rejects(poll(), { error: 'authorization_pending' });
  await assert.rejects(poll(), { error: 'slow_down' });
  const browser = id.browser();
  let page = await id.signIn(browser, await browser.get(started.verification_uri_complete), 'bob');
  assert.equal(page.form('user_code').fields.user_code, started.user_code);  // shown, not yet sent
  page = await browser.submit(page, {}, { form: page.form('user_code') });
  await browser.submit(page, {}, { form: page.form('user_code'), button: 'approve' });
  assert.ok(oauth.getValidatedIdTokenClaims(await poll()).sub);
  await assert.rejects(poll(), { error: 'invalid_grant' });
});
