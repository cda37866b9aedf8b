// openid-client 6, a certified relying party, through the code flow with every kind of client authentication and
// every signature algorithm.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as openid from 'openid-client';
import { IdentityServer } from './lib/identity.mjs';
import { addKeyClient, codeFlow, discover, makeKey } from './lib/relying_party.mjs';

let id;
before(async () => { id = await IdentityServer.start(); });
after(() => id?.remove());

const kinds = [
  { name: 'client_secret_basic and ES256', make: () => id.addClient('basic'), auth: ({ secret }) => openid.ClientSecretBasic(secret), alg: 'ES256' },
  { name: 'client_secret_post and EdDSA', make: () => id.addClient('post', ['--auth', 'client_secret_post', '--id-token-alg', 'EdDSA']),
    auth: ({ secret }) => openid.ClientSecretPost(secret), alg: 'EdDSA' },
  { name: 'private_key_jwt and RS256', make: async () => addKeyClient(id, 'keyed', [await makeKey('ES256')], ['--id-token-alg', 'RS256']),
    auth: ({ keys: [key] }) => openid.PrivateKeyJwt({ key: key.privateKey, kid: key.jwk.kid }), alg: 'RS256' },
  { name: 'no authentication (a public client)', make: () => id.addClient('public', ['--public']), auth: () => openid.None(), alg: 'ES256' },
];

for (const { name, make, auth, alg } of kinds) {
  test(`the whole life of a sign-in with ${name}`, async () => {
    const client = await make();
    const config = await discover(id, client, auth(client), { id_token_signed_response_alg: alg });
    assert.equal(config.serverMetadata().issuer, id.issuer);
    const browser = id.browser();
    const { tokens } = await codeFlow(id, config, client, {
      browser, parameters: { scope: 'openid profile email offline_access', max_age: '3600' }, checks: { maxAge: 3600 },
    });
    assert.equal(tokens.token_type, 'bearer');
    assert.equal(tokens.scope, 'openid profile email offline_access');
    assert.ok(tokens.expiresIn() > 500 && tokens.expiresIn() <= 600);
    const claims = tokens.claims();
    assert.equal(claims.aud, client.id);
    assert.deepEqual(claims.amr, ['pwd']);
    assert.ok(claims.sid);

    const info = await openid.fetchUserInfo(config, tokens.access_token, claims.sub);
    assert.deepEqual(info, { sub: claims.sub, name: 'alice@example.org', preferred_username: 'alice@example.org', email: 'alice@example.org', email_verified: true });
    await assert.rejects(openid.fetchUserInfo(config, tokens.access_token, 'somebody-else'));

    const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token);
    assert.notEqual(refreshed.access_token, tokens.access_token);
    assert.notEqual(refreshed.refresh_token, tokens.refresh_token);
    for (const name of ['sub', 'sid', 'auth_time', 'aud']) assert.equal(refreshed.claims()[name], claims[name], name);
    const narrower = await openid.refreshTokenGrant(config, refreshed.refresh_token, { scope: 'openid email' });
    assert.equal(narrower.scope, 'openid email');

    if (name.includes('public')) {
      await assert.rejects(openid.tokenIntrospection(config, narrower.access_token), /invalid_client|unexpected HTTP response|server responded/i);
    } else {
      const seen = await openid.tokenIntrospection(config, narrower.access_token);
      assert.equal(seen.active, true);
      assert.equal(seen.sub, claims.sub);
      assert.equal((await openid.tokenIntrospection(config, narrower.refresh_token)).active, true);
    }

    await openid.tokenRevocation(config, narrower.access_token);
    await assert.rejects(openid.fetchUserInfo(config, narrower.access_token, claims.sub), { status: 401 });
    const last = await openid.refreshTokenGrant(config, narrower.refresh_token);  // revoking one token spares the grant
    await openid.tokenRevocation(config, last.refresh_token);
    await assert.rejects(openid.refreshTokenGrant(config, last.refresh_token), { error: 'invalid_grant' });
    await assert.rejects(openid.fetchUserInfo(config, last.access_token, claims.sub), { status: 401 });

    // The address leads to the page, whose form a person would send.
    const end = openid.buildEndSessionUrl(config, { id_token_hint: last.id_token });
    const page = await browser.get(end);
    assert.equal(page.status, 200);
    assert.equal(browser.cookie('muhur-session'), undefined);
  });
}

test('a code is redeemed only with the verifier and the redirect URI of its request', async () => {
  const client = id.addClient('checks', ['--public']);
  const config = await discover(id, client, openid.None());
  await assert.rejects(codeFlow(id, config, client, { checks: { pkceCodeVerifier: openid.randomPKCECodeVerifier() } }), { error: 'invalid_grant' });
  for (const redirect_uri of ['https://app.example.org/other', 'https://app.example.org/Callback', undefined]) {
    const refused = await id.exchange(client, await id.authorize(id.browser(), client), { fields: { redirect_uri } });
    assert.equal(refused.body.error, 'invalid_grant', redirect_uri);
  }
});

test('what the user refuses, and what cannot be asked, arrives as the error it is', async () => {
  const client = id.addClient('errors', ['--public']);
  const config = await discover(id, client, openid.None());
  const ask = async (parameters, approve = true) => {
    const browser = id.browser();
    const verifier = openid.randomPKCECodeVerifier();
    const state = openid.randomState();
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: client.redirect, scope: 'openid', state, code_challenge_method: 'S256',
      code_challenge: await openid.calculatePKCECodeChallenge(verifier), ...parameters,
    });
    const back = await id.complete(browser, await browser.get(url), { approve });
    return openid.authorizationCodeGrant(config, back.redirect, { pkceCodeVerifier: verifier, expectedState: state });
  };
  const cases = [
    [{}, 'access_denied', false],
    [{ prompt: 'none' }, 'login_required'],
    [{ response_mode: 'fragment' }, 'invalid_request'],
    [{ response_mode: 'query.jwt' }, 'invalid_request'],  // JARM
    [{ scope: 'openid mail' }, 'invalid_scope'],
    [{ claims: '{"id_token":{"acr":{"essential":true,"value":"urn:gold"}}}' }, 'unmet_authentication_requirements'],
    [{ resource: 'https://api.example.org/' }, 'invalid_target'],
    [{ request: 'eyJhbGciOiJub25lIn0.e30.' }, 'request_not_supported'],
    [{ request_uri: 'https://app.example.org/request.jwt' }, 'request_uri_not_supported'],
    [{ registration: '{}' }, 'registration_not_supported'],
  ];
  for (const [parameters, error, approve] of cases)
    await assert.rejects(ask(parameters, approve), (caught) => {
      assert.ok(caught instanceof openid.AuthorizationResponseError, `${caught}`);
      assert.equal(caught.error, error);
      return true;
    }, error);
});

test('the answer by form_post is read from the request that it is', async () => {
  const client = id.addClient('poster');
  const config = await discover(id, client, openid.ClientSecretBasic(client.secret));
  const { tokens, back } = await codeFlow(id, config, client, { parameters: { response_mode: 'form_post' } });
  assert.equal(back.by, 'form_post');
  assert.ok(tokens.claims().sub);
  assert.match(back.page.headers.get('content-security-policy'), /form-action 'self' https:\/\/app\.example\.org(;|$)/);
});
