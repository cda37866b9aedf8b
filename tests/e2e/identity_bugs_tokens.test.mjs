// Bug classes of identity providers about signed things: who chooses the key, what is used twice, which clock.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { atOnce, dpopProof, jti, jwt, keyPair, nowSeconds, publicFromJwk } from './lib/attack.mjs';
import { claimsOf, IdentityServer } from './lib/identity.mjs';

let id, app, server, signer, secretive, rs256, keys;
const own = {};

before(async () => {
  id = await IdentityServer.start();
  own.key = keyPair();
  own.rsa = keyPair('rsa');
  const jwks = join(id.installation.directory, 'jwks.json');
  writeFileSync(jwks, JSON.stringify({ keys: [{ ...own.key.jwk, kid: 'k1', use: 'sig', alg: 'ES256' }, { ...own.rsa.jwk, kid: 'r1' }] }));
  app = id.addClient('app', ['--public', '--first-party']);
  server = id.addClient('server', ['--first-party', '--may-introspect']);
  rs256 = id.addClient('rs256', ['--public', '--first-party', '--id-token-alg', 'RS256', '--access-token', 'jwt']);
  signer = id.addClient('signer', ['--first-party', '--jwks-file', jwks, '--grant', 'client_credentials', '--grant', 'authorization_code']);
  secretive = id.addClient('secretive', ['--auth', 'client_secret_post', '--grant', 'client_credentials', '--grant', 'authorization_code']);
  own.hint = (await id.tokens(app, { browser: (own.browser = id.browser()) })).id_token;
  own.rsHint = await id.tokens(rs256, { browser: own.browser });
  keys = (await id.json('/oauth2/jwks')).body.keys;
});
after(() => id?.remove());

const tokenUrl = () => `${id.issuer}/oauth2/token`;
const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const assertionClaims = (change = {}) => ({ iss: 'signer', sub: 'signer', aud: id.issuer, jti: jti(), iat: nowSeconds(), exp: nowSeconds() + 60, ...change });
const withAssertion = (client_assertion, more = {}) =>
  id.token(undefined, { grant_type: 'client_credentials', scope: 'profile', client_assertion, client_assertion_type: type, ...more });
const assertion = (change, header = { alg: 'ES256', kid: 'k1' }, key = own.key.privateKey) => withAssertion(jwt(header, assertionClaims(change), key));

// The ways in which a token has named its own key or its own algorithm. `good` is one that is ours; `claims`
// what a forger wants to be believed.
function forgeries(good, claims) {
  const [head, , signature] = good.split('.');
  const header = JSON.parse(Buffer.from(head, 'base64url'));
  const jwk = keys.find(({ kid }) => kid === header.kid);
  const evil = keyPair(), evilRsa = keyPair('rsa');
  const pem = Buffer.from(publicFromJwk(jwk).export({ type: 'spki', format: 'pem' }));
  const der = publicFromJwk(jwk).export({ type: 'spki', format: 'der' });
  const unsigned = (alg) => jwt({ ...header, alg }, claims);
  return {
    none: unsigned('none'), None: unsigned('None'), 'nOnE': unsigned('nOnE'), 'none with a signature': unsigned('none') + signature,
    'no alg': jwt({ typ: 'JWT', kid: header.kid }, claims), 'no signature': unsigned(header.alg),
    'HS256 with the PEM': jwt({ ...header, alg: 'HS256' }, claims, pem), 'HS256 with the DER': jwt({ ...header, alg: 'HS256' }, claims, der),
    'HS256 with the JWK': jwt({ ...header, alg: 'HS256' }, claims, Buffer.from(JSON.stringify(jwk))),
    'HS256 with nothing': jwt({ ...header, alg: 'HS256' }, claims, Buffer.alloc(0)),
    'embedded jwk': jwt({ ...header, alg: 'ES256', jwk: evil.jwk }, claims, evil.privateKey),
    'embedded jwk without kid': jwt({ alg: 'ES256', jwk: evil.jwk }, claims, evil.privateKey),
    jku: jwt({ ...header, alg: 'ES256', jku: 'http://127.0.0.1:1/jwks' }, claims, evil.privateKey),
    x5u: jwt({ ...header, alg: 'RS256', x5u: 'http://127.0.0.1:1/x' }, claims, evilRsa.privateKey),
    x5c: jwt({ ...header, alg: 'RS256', x5c: ['MIIB'] }, claims, evilRsa.privateKey),
    crit: jwt({ ...header, crit: ['b64'], b64: false }, claims, evil.privateKey),
    'another key under our kid': jwt(header, claims, header.alg === 'RS256' ? evilRsa.privateKey : evil.privateKey),
    'kid with a quote': jwt({ ...header, kid: "' OR '1'='1" }, claims, evil.privateKey),
    'kid as a path': jwt({ ...header, kid: '../../../../dev/null' }, claims, evil.privateKey),
    'kid of 4 KiB': jwt({ ...header, kid: 'k'.repeat(4096) }, claims, evil.privateKey),
    'kid that is none': jwt({ ...header, kid: ['x'] }, claims, evil.privateKey),
    'zeros as a signature': `${jwt(header, claims)}${Buffer.alloc(64).toString('base64url')}`,
    'another payload': `${head}.${Buffer.from(JSON.stringify({ ...claims, x: 1 })).toString('base64url')}.${signature}`,
    'one part more': `${good}.x`, 'a JWE': `${head}.x.x.x.x`, 'no token': 'x', 'only dots': '..',
  };
}

test('bug 16: an id_token_hint chooses neither its key nor its algorithm', async () => {
  for (const good of [own.hint, own.rsHint.id_token]) {
    const claims = claimsOf(good);
    for (const [name, hint] of Object.entries(forgeries(good, claims))) {
      const client = claims.aud === 'app' ? app : rs256;
      const back = await id.authorize(own.browser.copy(), client, { prompt: 'none', id_token_hint: hint });
      assert.equal(back.parameters.error, 'invalid_request', name);
      const page = await own.browser.get(`/oauth2/logout?${new URLSearchParams({ id_token_hint: hint })}`);
      assert.equal(page.kind, 'sign-out', name);
    }
    assert.ok((await id.authorize(own.browser.copy(), app, { prompt: 'none', id_token_hint: own.hint })).parameters.code);
  }
  // Signed by us, but no ID token.
  const back = await id.authorize(own.browser.copy(), rs256, { prompt: 'none', id_token_hint: own.rsHint.access_token });
  assert.equal(back.parameters.error, 'invalid_request');
});

test('bug 16: a client assertion chooses neither its key nor its algorithm', async () => {
  const good = jwt({ alg: 'ES256', kid: 'k1' }, assertionClaims(), own.key.privateKey);
  assert.equal((await withAssertion(good)).status, 200);
  const claims = () => assertionClaims();
  const pem = Buffer.from(own.rsa.pem), evil = keyPair();
  for (const forged of [
    jwt({ alg: 'none' }, claims()), jwt({ alg: 'None', kid: 'k1' }, claims()), jwt({ alg: 'HS256', kid: 'r1' }, claims(), pem),
    jwt({ alg: 'HS256' }, claims(), Buffer.from(secretive.secret)), jwt({ alg: 'ES256', jwk: evil.jwk }, claims(), evil.privateKey),
    jwt({ alg: 'ES256', kid: 'k1', jku: 'http://127.0.0.1:1/' }, claims(), evil.privateKey), jwt({ alg: 'ES256', kid: 'k1' }, claims(), evil.privateKey),
    jwt({ alg: 'RS256', kid: 'k1' }, claims(), own.rsa.privateKey), jwt({ alg: 'ES256', kid: 'r1' }, claims(), own.key.privateKey),
    jwt({ alg: 'ES256', kid: "'; DROP" }, claims(), own.key.privateKey), jwt({ alg: 'ES256', kid: 'k'.repeat(4096) }, claims(), own.key.privateKey),
    own.hint, 'x', '..', 'a.b.c',
  ]) {
    const answer = await withAssertion(forged);
    assert.equal(answer.status, 401, forged.slice(0, 60));
    assert.equal(answer.body.error, 'invalid_client');
  }
});

test('bug 16: a DPoP proof is signed by the public key that it shows', async () => {
  const pair = keyPair(), evil = keyPair();
  const secret = { kty: 'oct', k: Buffer.from('secret').toString('base64url') };
  const changes = [
    (h) => (h.alg = 'none'), (h) => (h.alg = 'HS256'), (h) => delete h.jwk, (h) => (h.jwk = evil.jwk), (h) => (h.jwk = { ...pair.privateKey.export({ format: 'jwk' }) }),
    (h) => (h.jwk = secret), (h) => (h.typ = 'JWT'), (h) => (h.jwk = 'x'), (h) => (h.jwk = { ...pair.jwk, crv: 'P-384' }), (h) => (h.jku = 'http://127.0.0.1:1/'), (h) => (h.jwk = {}),
    (_, c) => delete c.jti, (_, c) => (c.jti = ''), (_, c) => (c.jti = 'j'.repeat(4096)), (_, c) => (c.htm = 'GET'), (_, c) => (c.htu = 'https://evil.example/oauth2/token'),
    (_, c) => (c.htu += '/x'), (_, c) => (c.iat -= 3600), (_, c) => (c.iat += 3600), (_, c) => (c.iat = 'now'), (_, c) => delete c.iat,
  ];
  for (const change of changes) {
    const back = await id.authorize(own.browser.copy(), app);
    const answer = await id.exchange(app, back, { headers: { dpop: dpopProof(pair, 'POST', tokenUrl(), { change }) } });
    assert.equal(answer.status, 400, String(change));
    assert.equal(answer.body.error, 'invalid_dpop_proof', String(change));
  }
  const forged = jwt({ typ: 'dpop+jwt', alg: 'HS256', jwk: secret }, { jti: jti(), htm: 'POST', htu: tokenUrl(), iat: nowSeconds() }, Buffer.from('secret'));
  const answer = await id.exchange(app, await id.authorize(own.browser.copy(), app), { headers: { dpop: forged } });
  assert.equal(answer.body.error, 'invalid_dpop_proof');
  const two = await fetch(tokenUrl(), { method: 'POST', headers: [['dpop', dpopProof(pair, 'POST', tokenUrl())], ['dpop', 'x']], body: new URLSearchParams({ grant_type: 'x', client_id: 'app' }) });
  assert.equal(two.status, 400);
});

test('bug 16: a request object is not read, and a bearer token is only looked up', async () => {
  for (const parameters of [{ request: jwt({ alg: 'none' }, { client_id: 'app', redirect_uri: 'https://evil.example/' }) }, { request: 'x' }, { request_uri: 'https://evil.example/r' }, { request_uri: `file:///etc/passwd` }]) {
    const back = await id.authorize(own.browser.copy(), app, parameters);
    assert.match(back.parameters.error, /^request(_uri)?_not_supported$/);
  }
  const good = own.rsHint.access_token;
  const claims = { ...claimsOf(good), scope: 'openid email', exp: nowSeconds() + 1e6 };
  for (const [name, token] of Object.entries({ ...forgeries(good, claims), 'an ID token': own.hint, quote: "' OR 1=1", long: 't'.repeat(6000) })) {
    assert.equal((await id.userinfo(token)).status, 401, name);
    assert.equal((await id.introspect(server, token)).body.active, false, name);
  }
});

test('bug 17: a client assertion is used once, also by 20 at once', async () => {
  const once = jwt({ alg: 'ES256', kid: 'k1' }, assertionClaims(), own.key.privateKey);
  const answers = await atOnce(20, () => withAssertion(once));
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  // At every endpoint, and with another signature over the same jti.
  for (const path of ['/oauth2/introspect', '/oauth2/revoke', '/oauth2/par', '/oauth2/token'])
    assert.equal((await id.post(path, undefined, { ...Object.fromEntries(id.authorizeUrl(signer).url.searchParams), token: 'x', grant_type: 'client_credentials', client_assertion: once, client_assertion_type: type })).status, 401, path);
  const same = assertionClaims();
  const sign = () => jwt({ alg: 'ES256', kid: 'k1' }, same, own.key.privateKey);
  assert.equal((await withAssertion(sign())).status, 200);
  assert.equal((await withAssertion(sign())).status, 401);
});

test('bug 17: which way a client proves itself is read from its registration', async () => {
  const { secret } = secretive;
  const attempts = [
    [{ id: 'signer', secret }, {}, 'basic'], [{ id: 'signer', secret }, {}, 'post'], [{ id: 'signer', secret: '' }, {}, 'basic'], [{ id: 'signer' }, {}, 'none'],
    [{ id: 'secretive', secret }, {}, 'basic'], [{ id: 'secretive' }, {}, 'none'],
    [undefined, { client_assertion_type: type, client_assertion: jwt({ alg: 'ES256', kid: 'k1' }, assertionClaims({ iss: 'secretive', sub: 'secretive' }), own.key.privateKey) }, 'none'],
    [undefined, { client_assertion_type: type, client_assertion: jwt({ alg: 'HS256' }, assertionClaims({ iss: 'secretive', sub: 'secretive' }), Buffer.from(secret)) }, 'none'],
    [{ id: 'secretive' }, { client_assertion_type: type, client_assertion: jwt({ alg: 'ES256', kid: 'k1' }, assertionClaims(), own.key.privateKey) }, 'none'],
  ];
  for (const [client, more, send] of attempts) {
    const answer = await id.token(client, { grant_type: 'client_credentials', scope: 'profile', ...more }, { send });
    assert.equal(answer.status, 401, answer.text);
    assert.equal(answer.body.error, 'invalid_client');
    assert.equal(answer.body.error_description, 'client authentication failed');
  }
  assert.equal((await id.token(secretive, { grant_type: 'client_credentials', scope: 'profile' }, { send: 'post' })).status, 200);
  const both = await id.token(secretive, { grant_type: 'client_credentials', client_assertion: 'x', client_assertion_type: type }, { send: 'post' });
  assert.equal(both.body.error, 'invalid_request');
});

test('bug 30: tokens have no nbf, and an assertion may be a minute off and no more', async () => {
  for (const token of [own.hint, own.rsHint.access_token]) assert.equal(claimsOf(token).nbf, undefined);
  const now = nowSeconds;
  for (const fine of [{ nbf: now() + 8 }, { iat: now() + 30 }, { exp: now() - 30 }, { nbf: now() - 3600 }, { iat: undefined }, { aud: tokenUrl() }, { aud: [id.issuer, 'x'] }])
    assert.equal((await assertion(fine)).status, 200, JSON.stringify(fine));
  for (const wrong of [{ nbf: now() + 90 }, { iat: now() + 90 }, { exp: now() - 90 }, { exp: undefined }, { exp: now() + 86_400 }, { exp: 'x' }, { exp: 1e300 }, { exp: -1 },
    { aud: 'https://evil.example' }, { aud: undefined }, { aud: [] }, { aud: `${id.issuer}/` }, { iss: 'app' }, { sub: 'app' }, { sub: undefined }, { jti: undefined }, { jti: '' }, { jti: 7 }, { jti: 'j'.repeat(300) }])
    assert.equal((await assertion(wrong)).status, 401, JSON.stringify(wrong));
});

test('bug 31: 10,000 requests for the keys are served from memory, with a tag', async () => {
  const first = await fetch(`${id.issuer}/oauth2/jwks`);
  const tag = first.headers.get('etag');
  const body = await first.text();
  assert.match(tag, /^"[0-9a-f]+"$/);
  assert.match(first.headers.get('cache-control'), /max-age=3600/);
  for (let round = 0; round < 100; ++round) {
    await atOnce(100, async (i) => {
      const response = await fetch(`${id.issuer}/oauth2/jwks`, i % 2 ? { headers: { 'if-none-match': tag } } : {});
      assert.equal(response.status, i % 2 ? 304 : 200);
      assert.equal(await response.text(), i % 2 ? '' : body);
    });
  }
  for (const { kid, use, alg, d, p, q, k } of keys) {
    assert.ok(kid && alg && use === 'sig');
    assert.deepEqual([d, p, q, k], [undefined, undefined, undefined, undefined]);
  }
  assert.equal(new Set(keys.map(({ kid }) => kid)).size, keys.length);
});

test('DPoP: what is bound to a key is worth nothing without it, at refresh and at userinfo', async () => {
  const pair = keyPair(), evil = keyPair();
  const proof = (of, options) => ({ dpop: dpopProof(of, 'POST', tokenUrl(), options) });
  const back = await id.authorize(own.browser.copy(), app);
  const first = await id.exchange(app, back, { headers: proof(pair) });
  assert.equal(first.body.token_type, 'DPoP');
  const { access_token, refresh_token } = first.body;
  const refresh = (headers) => id.token(app, { grant_type: 'refresh_token', refresh_token }, { headers });
  assert.equal((await refresh({})).body.error, 'invalid_grant');
  assert.equal((await refresh(proof(evil))).body.error, 'invalid_grant');
  const used = proof(pair);
  assert.equal((await refresh(used)).status, 200);
  assert.equal((await refresh(used)).body.error, 'invalid_dpop_proof');
  const userUrl = `${id.issuer}/oauth2/userinfo`;
  const ask = (of, options, scheme = 'DPoP') => id.userinfo(access_token, { scheme, headers: of ? { dpop: dpopProof(of, 'GET', userUrl, options) } : {} });
  assert.equal((await ask(pair, { accessToken: access_token })).status, 200);
  assert.equal((await ask(undefined, {}, 'Bearer')).status, 401);
  assert.equal((await ask(pair, { accessToken: access_token }, 'Bearer')).status, 401);
  assert.equal((await ask(undefined)).status, 401);
  assert.equal((await ask(evil, { accessToken: access_token })).status, 401);
  assert.equal((await ask(pair, {})).status, 401);
  assert.equal((await ask(pair, { accessToken: 'another' })).status, 401);
  const posted = await fetch(userUrl, { method: 'POST', body: new URLSearchParams({ access_token }) });
  assert.equal(posted.status, 401);
  // A bound token opens no introspection as a bearer.
  assert.equal((await id.post('/oauth2/introspect', undefined, { token: access_token }, { headers: { authorization: `Bearer ${access_token}` } })).status, 401);
  // dpop_jkt of the request, and of a pushed one, binds the code.
  const jkt = createHash('sha256').update(JSON.stringify({ crv: 'P-256', kty: 'EC', x: pair.jwk.x, y: pair.jwk.y })).digest('base64url');
  for (const headers of [{}, proof(evil)]) {
    const bound = await id.authorize(own.browser.copy(), app, { dpop_jkt: jkt });
    assert.equal((await id.exchange(app, bound, { headers })).body.error, 'invalid_grant');
  }
  const fields = Object.fromEntries(id.authorizeUrl(app).url.searchParams);
  const parUrl = `${id.issuer}/oauth2/par`;
  const mismatch = await id.post('/oauth2/par', app, { ...fields, dpop_jkt: jkt }, { headers: { dpop: dpopProof(evil, 'POST', parUrl) } });
  assert.equal(mismatch.body.error, 'invalid_dpop_proof');
});

test('RFC 8707: a token for one resource is worth nothing at another, nor at the server itself', async () => {
  const narrow = id.addClient('narrow', ['--public', '--first-party', '--resource', 'https://api.example']);
  const plain = await id.tokens(narrow, { browser: own.browser.copy() });
  assert.equal((await id.userinfo(plain.access_token)).status, 200);
  const bound = await id.tokens(narrow, { browser: own.browser.copy(), resource: 'https://api.example' });
  assert.equal((await id.introspect(server, bound.access_token)).body.aud, 'https://api.example');
  assert.equal((await id.userinfo(bound.access_token)).status, 401);
});

test('a client that was deleted leaves no token that works, also when its name comes back', async () => {
  const gone = id.addClient('gone', ['--public', '--first-party']);
  const browser = own.browser.copy();
  const { access_token, refresh_token } = await id.tokens(gone, { browser });
  const pending = await id.authorize(browser, gone);
  assert.equal((await id.introspect(server, access_token)).body.active, true);
  id.installation.must(['client', 'delete', 'gone', '--yes']);
  assert.equal((await id.introspect(server, access_token)).body.active, false);
  assert.equal((await id.introspect(server, refresh_token)).body.active, false);
  id.addClient('gone', ['--public', '--first-party']);
  assert.equal((await id.introspect(server, access_token)).body.active, false);
  assert.equal((await id.token(gone, { grant_type: 'refresh_token', refresh_token })).body.error, 'invalid_grant');
  assert.equal((await id.exchange(gone, pending)).body.error, 'invalid_grant');
});
