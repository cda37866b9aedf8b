// openid-client 6 through what goes beyond the plain code flow: PAR, DPoP, device flow, client credentials,
// resource indicators, dynamic registration.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as openid from 'openid-client';
import { IdentityServer, claimsOf } from './lib/identity.mjs';
import { addKeyClient, codeFlow, discover, makeKey } from './lib/relying_party.mjs';

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';
const api = 'https://api.example.org/';
const calendar = 'https://calendar.example.org/';
let id;
before(async () => {
  id = await IdentityServer.start({ settings: { MUHUR_SIGN_IN_DYNAMIC_REGISTRATION: 'true' } });
});
after(() => id?.remove());

test('a pushed request (PAR) carries everything; the address shows only the client and the reference', async () => {
  const client = id.addClient('pusher', ['--require-par']);
  const config = await discover(id, client, openid.ClientSecretBasic(client.secret));
  const { tokens, url } = await codeFlow(id, config, client, { par: true, parameters: { scope: 'openid email', login_hint: 'alice@example.org' } });
  assert.deepEqual([...url.searchParams.keys()].sort(), ['client_id', 'request_uri']);
  assert.match(url.searchParams.get('request_uri'), /^urn:ietf:params:oauth:request_uri:[\w-]{43}$/);
  assert.equal(tokens.scope, 'openid email');
  await assert.rejects(codeFlow(id, config, client), { error: 'invalid_request' });  // not pushed
});

test('PAR by private_key_jwt with a DPoP key binds the code and all tokens to that key', async () => {
  const client = addKeyClient(id, 'bound', [await makeKey('ES256')], ['--require-par', '--require-dpop']);
  const [key] = client.keys;
  const config = await discover(id, client, openid.PrivateKeyJwt({ key: key.privateKey, kid: key.jwk.kid }));
  const DPoP = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair('ES256'));
  const { tokens } = await codeFlow(id, config, client, { par: true, grant: { DPoP }, parameters: { scope: 'openid email offline_access' } });
  assert.equal(tokens.token_type, 'dpop');
  const { sub } = tokens.claims();
  assert.equal((await openid.fetchUserInfo(config, tokens.access_token, sub, { DPoP })).email, 'alice@example.org');
  assert.equal((await id.userinfo(tokens.access_token)).status, 401);  // a bearer has no key
  const other = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair('ES256'));
  await assert.rejects(openid.fetchUserInfo(config, tokens.access_token, sub, { DPoP: other }), { status: 401 });
  const seen = await openid.tokenIntrospection(config, tokens.access_token);
  assert.equal(seen.token_type, 'DPoP');
  assert.match(seen.cnf.jkt, /^[\w-]{43}$/);
  await assert.rejects(openid.refreshTokenGrant(config, tokens.refresh_token), { error: 'invalid_dpop_proof' });
  const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token, undefined, { DPoP });
  assert.equal(refreshed.token_type, 'dpop');
});

test('a public client with DPoP: its refresh token works with its key alone', async () => {
  const client = id.addClient('spa', ['--public']);
  const config = await discover(id, client, openid.None());
  for (const algorithm of ['ES256', 'Ed25519']) {
    const DPoP = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair(algorithm));
    const { tokens } = await codeFlow(id, config, client, { grant: { DPoP } });
    const other = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair(algorithm));
    await assert.rejects(openid.refreshTokenGrant(config, tokens.refresh_token, undefined, { DPoP: other }), { error: 'invalid_grant' });
    await assert.rejects(openid.refreshTokenGrant(config, tokens.refresh_token), { error: 'invalid_grant' });
    assert.equal((await openid.refreshTokenGrant(config, tokens.refresh_token, undefined, { DPoP })).token_type, 'dpop');
  }
});

test('client credentials give a token of the client itself, for the resource that it names', async () => {
  const client = id.addClient('robot', ['--grant', 'client_credentials', '--scope', 'reports', '--resource', api, '--access-token', 'jwt']);
  const config = await discover(id, client, openid.ClientSecretBasic(client.secret));
  const tokens = await openid.clientCredentialsGrant(config, { scope: 'reports', resource: api });
  assert.equal(tokens.refresh_token, undefined);
  assert.equal(tokens.id_token, undefined);
  const claims = claimsOf(tokens.access_token);
  assert.equal(claims.sub, client.id);
  assert.equal(claims.aud, api);
  assert.equal(claims.scope, 'reports');
  assert.equal((await openid.tokenIntrospection(config, tokens.access_token)).active, true);
  await assert.rejects(openid.clientCredentialsGrant(config, { scope: 'openid' }), { error: 'invalid_scope' });
  await assert.rejects(openid.clientCredentialsGrant(config, { resource: calendar }), { error: 'invalid_target' });
});

test('resource indicators: what is asked for at the start is what tokens can be narrowed to', async () => {
  const client = id.addClient('apis', ['--access-token', 'jwt', '--resource', api, '--resource', calendar]);
  const config = await discover(id, client, openid.ClientSecretBasic(client.secret));
  const { url, verifier } = id.authorizeUrl(client, { resource: [api, calendar], state: undefined });
  const browser = id.browser();
  const back = await id.complete(browser, await browser.get(url));
  const one = await openid.authorizationCodeGrant(config, back.redirect, { pkceCodeVerifier: verifier }, { resource: api });
  assert.equal(claimsOf(one.access_token).aud, api);
  const both = await openid.refreshTokenGrant(config, one.refresh_token);
  assert.deepEqual(claimsOf(both.access_token).aud, [api, calendar]);
  await assert.rejects(openid.refreshTokenGrant(config, both.refresh_token, { resource: 'https://elsewhere.example.org/' }), { error: 'invalid_target' });
  const other = await openid.refreshTokenGrant(config, both.refresh_token, { resource: calendar });
  assert.equal(claimsOf(other.access_token).aud, calendar);
});

test('the device flow: the code is typed, the device named, and the decision the user’s', async () => {
  const client = id.addClient('tv', ['--public', '--grant', deviceGrant, '--grant', 'refresh_token', '--name', 'The television']);
  const config = await discover(id, client, openid.None());
  for (const approve of [true, false]) {
    const started = await openid.initiateDeviceAuthorization(config, { scope: 'openid email' });
    assert.equal(started.verification_uri, `${id.issuer}/device`);
    assert.match(started.user_code, /^[A-Z]{4}-[A-Z]{4}$/);
    const browser = id.browser();
    let page = await browser.get(started.verification_uri);
    page = await id.signIn(browser, page);
    assert.equal(page.kind, 'device-code');
    page = await browser.submit(page, { user_code: started.user_code.toLowerCase().replace('-', ' ') }, { form: page.form('user_code') });
    assert.equal(page.kind, 'device-confirm');
    assert.match(page.text, /The television/);
    await browser.submit(page, {}, { form: page.form('user_code'), button: approve ? 'approve' : 'deny' });
    const polled = openid.pollDeviceAuthorizationGrant(config, { ...started, interval: 1 });
    if (approve) assert.equal((await polled).claims().aud, client.id);
    else await assert.rejects(polled, { error: 'access_denied' });
  }
});

test('dynamic registration: with an initial token, by the number of its uses', async () => {
  const { token } = JSON.parse(id.run(['client', 'initial-token', '--uses', '1', '--json']).stdout);
  const metadata = { client_name: 'Self made', redirect_uris: ['https://self.example.org/callback'], grant_types: ['authorization_code', 'refresh_token'], id_token_signed_response_alg: 'EdDSA', token_endpoint_auth_method: 'client_secret_post' };
  const register = (initialAccessToken) =>
    openid.dynamicClientRegistration(new URL(id.issuer), metadata, undefined, { initialAccessToken, execute: [openid.allowInsecureRequests] });
  await assert.rejects(register('none-such'), { status: 401 });
  const config = await register(token);
  openid.enableNonRepudiationChecks(config);
  const made = config.clientMetadata();
  assert.equal(made.id_token_signed_response_alg, 'EdDSA');
  assert.ok(made.client_secret);
  const { tokens } = await codeFlow(id, config, { redirect: metadata.redirect_uris[0] }, { user: 'bob', parameters: { scope: 'openid email' } });
  assert.equal(tokens.claims().aud, made.client_id);
  await assert.rejects(register(token), { status: 401 });  // it was for one

  const own = { headers: { authorization: `Bearer ${made.registration_access_token}` } };
  const read = await id.json(made.registration_client_uri, own);
  assert.equal(read.body.client_name, 'Self made');
  const gone = await fetch(made.registration_client_uri, { ...own, method: 'DELETE' });
  assert.equal(gone.status, 204);
  assert.equal((await fetch(made.registration_client_uri, own)).status, 401);
  await assert.rejects(openid.refreshTokenGrant(config, tokens.refresh_token), { error: 'invalid_client' });
});
