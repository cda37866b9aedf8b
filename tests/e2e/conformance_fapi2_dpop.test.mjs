// FAPI 2.0 Security Profile (final): DPoP, under the conformance suite's names.
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, test } from 'node:test';
import { IdentityServer } from './lib/identity.mjs';
import { dpopProof, makeKey } from './lib/relying_party.mjs';
import { Fapi2Client } from './lib/relying_party_fapi2.mjs';

const name = (rest) => `fapi2-security-profile-final-${rest}`;
let id, app, access_token;
before(async () => {
  id = await IdentityServer.start();
  app = await Fapi2Client.make(id, 'app');
  ({ access_token } = await app.tokens());
});
after(() => id?.remove());

const now = () => Math.floor(Date.now() / 1000);
const url = () => `${id.issuer}/oauth2/userinfo`;
const proof = (options) => dpopProof(app.key, 'GET', url(), { accessToken: access_token, ...options });

test(name('ensure-dpop-auth-code-binding-success'), async () => {
  const pushed = await app.push({ dpop_jkt: app.key.thumbprint });
  assert.equal((await app.exchange(await app.authorize(pushed))).status, 200);
});

test(name('ensure-dpopproof-at-par-endpoint-binding-success'), async () => {
  const pushed = await app.push({}, {});
  assert.equal(pushed.status, 201);
  assert.equal((await app.exchange(await app.authorize(pushed))).status, 200);
});

test(name('ensure-mismatched-dpop-jkt-fails'), async () => {
  const { status, body } = await app.push({ dpop_jkt: (await makeKey()).thumbprint }, {});
  assert.deepEqual([status, body.error], [400, 'invalid_dpop_proof']);
});

test(name('ensure-token-endpoint-fails-with-mismatched-dpop-jkt'), async () => {
  const back = await app.authorize(await app.push({ dpop_jkt: (await makeKey()).thumbprint }));
  assert.equal((await app.exchange(back)).body.error, 'invalid_grant');
});

test(name('ensure-token-endpoint-fails-with-mismatched-dpop-proof-jkt'), async () => {
  const back = await app.authorize(await app.push({}, { proof: { key: await makeKey() } }));
  assert.equal((await app.exchange(back)).body.error, 'invalid_grant');
});

for (const [rest, seconds] of [['after', 10], ['before', -10]])
  test(name(`ensure-dpopproof-with-iat-10seconds-${rest}-succeeds`), async () => {
    const claims = () => ({ iat: now() + seconds });
    const pushed = await app.push({}, { proof: { claims: claims() } });
    const { status, body } = await app.exchange(await app.authorize(pushed), { proof: { claims: claims() } });
    assert.equal(status, 200);
    assert.equal((await app.resource(body.access_token, { claims: claims() })).status, 200);
  });

test(name('check-dpop-proof-nbf-exp'), async () => {
  const claims = { nbf: now(), exp: now() + 300 };
  const { status, body } = await app.exchange(await app.authorize(await app.push()), { proof: { claims } });
  assert.equal(status, 200);
  assert.equal((await app.resource(body.access_token, { claims })).status, 200);
});

const negative = name('dpop-negative-tests');
for (const [what, options] of [
  ['no typ', () => ({ header: { typ: undefined } })],
  ['another typ', () => ({ header: { typ: 'JWT' } })],
  ['no jwk', () => ({ header: { jwk: undefined } })],
  ['no jti', () => ({ claims: { jti: undefined } })],
  ['no htm', () => ({ claims: { htm: undefined } })],
  ['no htu', () => ({ claims: { htu: undefined } })],
  ['no iat', () => ({ claims: { iat: undefined } })],
  ['no ath', () => ({ claims: { ath: undefined } })],
  ['another token’s ath', () => ({ claims: { ath: 'fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo' } })],
  ['another htm', () => ({ claims: { htm: 'PUT' } })],
  ['another htu', () => ({ claims: { htu: 'https://other.example.org/oauth2/userinfo' } })],
  ['another path', () => ({ claims: { htu: `${id.issuer}/oauth2/token` } })],
  ['iat an hour ahead', () => ({ claims: { iat: now() + 3600 } })],
  ['iat an hour ago', () => ({ claims: { iat: now() - 3600 } })],
  ['a nonce that is none of ours', () => ({ claims: { nonce: 'made-up' } })],
])
  test(`${negative}: ${what}`, async () => {
    const answer = await app.resource(access_token, options());
    assert.equal(answer.status, 401);
    assert.match(answer.headers.get('www-authenticate'), /^DPoP error=/);
  });

test(`${negative}: not a JWT, not signed, wrongly signed, signed by another key, with a private key inside`, async () => {
  const whole = await proof();
  const [head, body] = whole.split('.');
  const none = Buffer.from(JSON.stringify({ ...JSON.parse(Buffer.from(head, 'base64url')), alg: 'none' })).toString('base64url');
  const other = await makeKey();
  const { d } = await crypto.subtle.exportKey('jwk', app.key.privateKey);
  const { kid, use, alg, ...jwk } = app.key.jwk;
  for (const bad of ['x', `${head}.${body}`, `${none}.${body}.`, `${head}.${body}.${Buffer.alloc(64, 1).toString('base64url')}`,
    await proof({ sign: other }), await proof({ header: { jwk: { ...jwk, d } } })])
    assert.equal((await app.resource(access_token, { proof: bad })).status, 401, bad.slice(0, 40));
  assert.equal((await app.resource(access_token, { key: other })).status, 401);
});

test(`${negative}: two proofs in one request`, async () => {
  const proofs = [await proof(), await proof()];
  const status = await new Promise((done, failed) => {
    const sent = request(url(), { headers: { authorization: `DPoP ${access_token}`, dpop: proofs } }, (answer) => { answer.resume(); done(answer.statusCode); });
    sent.on('error', failed).end();
  });
  assert.equal(status, 400);
});

test(`${negative}: a proof serves once`, async () => {
  const once = await proof();
  assert.equal((await app.resource(access_token, { proof: once })).status, 200);
  assert.equal((await app.resource(access_token, { proof: once })).status, 401);
});

test(`${negative}: what does not matter is let through`, async () => {
  const { port } = new URL(id.issuer);
  for (const options of [{ header: { extra: 'x' }, claims: { extra: 'y' } }, { claims: { htu: `${url()}?a=1#b` } }, { claims: { htu: `HTTP://127.0.0.1:${port}/oauth2/userinfo` } }])
    assert.equal((await app.resource(access_token, options)).status, 200, JSON.stringify(options));
  const shouted = await fetch(url(), { headers: { authorization: `DPoP ${access_token}`, DPOP: await proof() } });
  assert.equal(shouted.status, 200);
});

test('a nonce that the server gave with a refusal is taken', async () => {
  const refused = await app.resource(access_token, { claims: { nonce: 'old' } });
  const nonce = refused.headers.get('dpop-nonce');
  assert.match(nonce, /^[\w-]{22}$/);
  assert.match(refused.headers.get('www-authenticate'), /use_dpop_nonce/);
  assert.equal((await app.resource(access_token, { claims: { nonce } })).status, 200);
});
