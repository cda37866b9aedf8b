// Apache's mod_auth_openidc as a relying party and as a resource server: software that we did not write, as Debian
// ships it, in front of an application that shows what reaches it. People come with Chromium. We speak HTTPS here, as
// mod_auth_openidc wants of keys and introspection, so the cookies are those with the prefix __Host-.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { decodeJwt } from 'jose';
import { Apache } from './lib/apache.mjs';
import { openBrowser, Visit } from './lib/chromium.mjs';
import { signIn } from './lib/pages_site.mjs';
import { Installation } from './lib/server.mjs';

const user = { login: 'ada@example.org', password: 'correct horse battery' };
let installation, issuer, apache, browser, machine, robot, quiet;
const rp = (name) => `${apache.url(name)}/app`;
const add = (id, ...more) => JSON.parse(installation.must(['client', 'add', '--json', '--id', id, ...more]).stdout);

// What a relying party's virtual host says beside its client's name.
const host = (name, ...more) => [
  `OIDCProviderMetadataURL ${issuer}/.well-known/openid-configuration`, 'OIDCSSLValidateServer Off', `OIDCClientID ${name}`,
  `OIDCRedirectURI ${rp(name)}/callback`, `OIDCCryptoPassphrase passphrase-of-${name}`, 'OIDCPKCEMethod S256', 'OIDCScope "openid email profile"',
  `OIDCRedirectURLsAllowed ^${apache.url(name)}/`, 'OIDCCookieSameSite On', 'OIDCPassRefreshToken On', 'OIDCInfoHook iat access_token id_token userinfo session',
  ...more,
  '<Location /app>', 'AuthType openid-connect', 'Require valid-user', '</Location>',
];

before(async () => {
  installation = new Installation({ ada: user.password }, { settings: { MUHUR_HTTP_LISTEN_TLS: '127.0.0.1:0', MUHUR_HOST_NAME: '127.0.0.1' } });
  const { https } = await installation.start();
  issuer = `https://${https.host}:${https.port}`;
  apache = await Apache.reserve(installation.directory, ['secret', 'public', 'signed', 'fresh', 'api', 'opaque']);

  const scopes = ['openid', 'email', 'profile'].flatMap((scope) => ['--scope', scope]);
  const party = (name, ...more) => add(name, '--name', `Apache (${name})`, '--first-party', '--redirect-uri', rp(name) + '/callback',
    '--post-logout-uri', apache.url(name) + '/bye', '--backchannel-logout', rp(name) + '/callback?logout=backchannel', ...scopes, ...more);
  const { secret } = party('secret');
  party('public', '--public');
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const [keyFile, publicFile, jwksFile] = ['client.key', 'client.pub', 'client.jwks'].map((name) => join(installation.directory, name));
  writeFileSync(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o644 });
  writeFileSync(publicFile, publicKey.export({ type: 'spki', format: 'pem' }));
  writeFileSync(jwksFile, JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'apache', use: 'sig' }] }));
  party('signed', '--jwks-file', jwksFile);
  const fresh = party('fresh', '--auth', 'client_secret_post', '--grant', 'authorization_code', '--grant', 'refresh_token', '--id-token-alg', 'RS256');
  const api = add('api', '--may-introspect', '--grant', 'client_credentials');
  add('caller', '--public', '--redirect-uri', 'http://127.0.0.1/callback');
  robot = add('robot', '--grant', 'client_credentials', '--scope', 'email', '--access-token', 'jwt', '--resource', apache.url('api'));
  quiet = add('quiet', '--grant', 'client_credentials', '--scope', 'email');

  await apache.start({
    secret: host('secret', `OIDCClientSecret ${secret}`),
    public: host('public'),
    // In this order, for without a key it does not know the method; and with both halves, for 2.4.12 reads the public
    // one without looking whether there is any.
    signed: host('signed', `OIDCPrivateKeyFiles apache#${keyFile}`, `OIDCPublicKeyFiles apache#${publicFile}`,
      'OIDCProviderTokenEndpointAuth private_key_jwt'),
    // Refreshes whenever the token would end within a day, which is at each request.
    fresh: host('fresh', `OIDCClientSecret ${fresh.secret}`, 'OIDCProviderTokenEndpointAuth client_secret_post', 'OIDCUserInfoTokenMethod post_param',
      '<Location /app/fresh>', 'OIDCRefreshAccessTokenBeforeExpiry 86400', '</Location>'),
    api: [`OIDCOAuthVerifyJwksUri ${issuer}/oauth2/jwks`, 'OIDCOAuthSSLValidateServer Off', 'OIDCOAuthRemoteUserClaim client_id',
      '<Location /app>', 'AuthType oauth20', '<RequireAll>', `Require claim iss:${issuer}`, `Require claim aud:${apache.url('api')}`, 'Require claim scope:email', '</RequireAll>', '</Location>'],
    opaque: [`OIDCOAuthIntrospectionEndpoint ${issuer}/oauth2/introspect`, 'OIDCOAuthSSLValidateServer Off', 'OIDCOAuthClientID api', `OIDCOAuthClientSecret ${api.secret}`,
      'OIDCOAuthIntrospectionEndpointAuth client_secret_basic', 'OIDCOAuthRemoteUserClaim client_id', 'OIDCOAuthTokenIntrospectionInterval -1',
      '<Location /app>', 'AuthType oauth20', 'Require claim scope:email', '</Location>'],
  });
  browser = await openBrowser();
  machine = await open();
});
after(async () => {
  await browser?.close();
  await apache?.stop();
  await installation?.remove();
});

const open = () => Visit.open(browser, { ignoreHTTPSErrors: true, origins: [issuer, ...Object.keys(apache.ports).map((name) => apache.url(name))] });
const shown = async ({ page }) => JSON.parse(await page.textContent('body'));
const get = async ({ context }, url) => {
  const response = await context.request.get(url, { maxRedirects: 0 });
  return { status: response.status(), location: response.headers().location, json: response.headers()['content-type']?.includes('json') ? await response.json() : undefined };
};

for (const [name, method] of [['secret', 'a secret'], ['public', 'PKCE alone'], ['signed', 'private_key_jwt']])
  test(`a person signs in at Apache, which proves itself by ${method}; the application sees the claims`, async () => {
    const visit = await open();
    await visit.page.goto(rp(name) + '/page?x=1');
    assert.match(await visit.text('.lead'), new RegExp(`Apache \\(${name}\\)`));
    await signIn(visit, { ...user, password: 'wrong' });
    await signIn(visit, user);
    assert.equal(visit.page.url(), rp(name) + '/page?x=1', apache.errors());
    const { path, headers } = await shown(visit);
    assert.equal(path, '/app/page?x=1');
    assert.equal(headers.oidc_claim_iss, issuer);
    assert.equal(headers.oidc_claim_aud, name);
    assert.equal(headers.oidc_claim_email, user.login);
    assert.ok(headers.oidc_claim_sub && headers.oidc_claim_sid && headers.oidc_access_token);
    const info = await get(visit, `${rp(name)}/callback?info=json`);
    assert.equal(info.json.userinfo.email, user.login);
    assert.equal(info.json.userinfo.sub, headers.oidc_claim_sub);
    assert.deepEqual(visit.faults, []);
    await visit.close();
  });

test('single sign-on: at the second application nobody is asked again, and the subject is the same', async () => {
  const visit = await open();
  await visit.page.goto(rp('secret') + '/');
  await signIn(visit, user);
  const first = await shown(visit);
  await visit.page.goto(rp('fresh') + '/');
  const second = await shown(visit);
  assert.equal(second.headers.oidc_claim_sub, first.headers.oidc_claim_sub);
  assert.equal(second.headers.oidc_claim_sid, first.headers.oidc_claim_sid);
  await visit.close();
});

test('Apache refreshes its access token before it ends: each one is new, and all in one session', async () => {
  const visit = await open();
  await visit.page.goto(rp('fresh') + '/');
  await signIn(visit, user);
  const seen = new Set([(await shown(visit)).headers.oidc_access_token]);
  const refresh = new Set();
  for (let i = 0; i < 3; ++i) {
    const { status, json } = await get(visit, rp('fresh') + '/fresh/');
    assert.equal(status, 200, apache.errors());
    seen.add(json.headers.oidc_access_token);
    refresh.add(json.headers.oidc_refresh_token);
  }
  assert.equal(seen.size, 4, 'a token twice');
  assert.equal(refresh.size, 3, 'a refresh token was not rotated');
  // The application asks for it by itself too.
  const [last] = [...seen].slice(-1);
  const asked = await get(visit, `${rp('fresh')}/callback?refresh=${encodeURIComponent(apache.url('fresh') + '/app/done')}&access_token=${last}`);
  assert.equal(asked.location, apache.url('fresh') + '/app/done', apache.errors());
  await visit.close();
});

test('signing out at Apache signs out here: the ID token proves it, nobody is asked, and the way back is taken', async () => {
  const visit = await open();
  await visit.page.goto(rp('secret') + '/');
  await signIn(visit, user);
  await visit.page.goto(`${rp('secret')}/callback?logout=${encodeURIComponent(apache.url('secret') + '/bye')}`);
  assert.equal(visit.page.url(), apache.url('secret') + '/bye');
  await visit.page.goto(issuer + '/account/sessions');
  assert.equal(await visit.page.locator('#password').count(), 1, 'still signed in');
  await visit.page.goto(rp('secret') + '/');
  assert.ok(visit.page.url().startsWith(issuer));
  await visit.close();
});

test('back-channel logout: who signs out here is signed out at every application, at once', async () => {
  const visit = await open();
  for (const name of ['secret', 'signed', 'public']) {
    await visit.page.goto(rp(name) + '/');
    if (name === 'secret') await signIn(visit, user);
    assert.equal((await shown(visit)).headers.oidc_claim_aud, name);
  }
  await visit.page.goto(issuer + '/account/sessions');
  await visit.press('li:has(.tag) button');
  for (const name of ['secret', 'signed', 'public']) {
    // The notices go out after the commit, by themselves.
    let answer;
    for (let i = 0; i < 500 && answer?.status !== 302; ++i) answer = await get(visit, rp(name) + '/');
    assert.equal(answer.status, 302, `still signed in at ${name}: ${apache.errors()}`);
    assert.ok(answer.location.startsWith(issuer + '/oauth2/authorize'));
  }
  await visit.close();
});

test('saying no at the consent page comes back to Apache as an error, and Apache lets nobody in', async () => {
  const visit = await open();
  installation.must(['client', 'change', 'public', '--set', 'skip_consent=false']);
  await visit.page.goto(rp('public') + '/');
  await signIn(visit, user);
  await visit.press('button[value=deny]');
  assert.ok(visit.page.url().startsWith(rp('public') + '/callback?'), visit.page.url());
  assert.match(visit.page.url(), /error=access_denied/);
  // 2.4.12 takes the `iss` of an error (RFC 9207) for somebody else's invitation to sign in, and shows a page of its own.
  assert.match(await visit.text('body'), /Error/);
  assert.equal((await get(visit, rp('public') + '/')).status, 302);
  await visit.close();
});

// What programs ask, with no browser's cookies in it.
const program = async (url, { form, authorization }) => {
  const { context } = machine;
  const headers = authorization ? { Authorization: authorization } : {};
  const response = await (form ? context.request.post(url, { form, headers }) : context.request.get(url, { headers, maxRedirects: 0 }));
  return { status: response.status(), text: await response.text() };
};
const basic = ({ client, secret }) => 'Basic ' + Buffer.from(`${client.id}:${secret}`).toString('base64');
async function tokenOf(client, parameters = {}) {
  const { text } = await program(issuer + '/oauth2/token',
    { form: { grant_type: 'client_credentials', scope: 'email', ...parameters }, authorization: basic(client) });
  return JSON.parse(text).access_token;
}
const call = (name, token) => program(rp(name) + '/', { authorization: token && `Bearer ${token}` });

test('Apache as an API verifies our JWT access tokens by our keys alone', async () => {
  const token = await tokenOf(robot, { resource: apache.url('api') });
  assert.equal(decodeJwt(token).aud, apache.url('api'));
  const response = await call('api', token);
  assert.equal(response.status, 200, apache.errors());
  const { headers } = JSON.parse(response.text);
  assert.equal(headers.oidc_claim_client_id, 'robot');
  assert.equal((await call('api')).status, 401);
  const [head, body, signature] = token.split('.');
  const forged = [head, Buffer.from(JSON.stringify({ ...decodeJwt(token), client_id: 'admin' })).toString('base64url'), signature].join('.');
  assert.equal((await call('api', forged)).status, 401);
  const none = [Buffer.from('{"alg":"none"}').toString('base64url'), body, ''].join('.');
  assert.equal((await call('api', none)).status, 401);
  // One for nobody in particular is not for this API.
  assert.equal((await call('api', await tokenOf(robot))).status, 401);
});

test('Apache as an API asks us about opaque tokens, and hears of a revocation', async () => {
  const token = await tokenOf(quiet);
  const response = await call('opaque', token);
  assert.equal(response.status, 200, apache.errors());
  assert.equal(JSON.parse(response.text).headers.oidc_claim_client_id, 'quiet');
  assert.equal((await call('opaque', 'no-such-token')).status, 401);
  const revoked = await program(issuer + '/oauth2/revoke', { form: { token }, authorization: basic(quiet) });
  assert.equal(revoked.status, 200);
  assert.equal((await call('opaque', token)).status, 401);
});
