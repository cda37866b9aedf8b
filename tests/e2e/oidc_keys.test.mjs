// Signing keys over HTTP: rotation with overlap, and at once; restarts; `muhur keys`.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { IdentityServer } from './lib/identity.mjs';
import { verifyIdToken } from './lib/relying_party.mjs';

let id, app;
before(async () => {
  id = await IdentityServer.start();
  app = id.addClient('app', ['--public']);
});
after(() => id?.remove());

const jwks = async () => (await id.json('/oauth2/jwks')).body.keys;
const kids = async () => (await jwks()).map(({ kid }) => kid);
const keys = (...args) => JSON.parse(id.installation.must(['keys', ...args, '--json']).stdout);
const signs = (alg = 'ES256') => keys('list').find(({ algorithm, state }) => algorithm === alg && state === 'signs').kid;
const idToken = async () => (await id.tokens(app)).id_token;

test('a key of each algorithm is published before anything is signed with it', async () => {
  assert.deepEqual(keys('list').map(({ algorithm, state }) => `${algorithm} ${state}`), ['ES256 signs', 'EdDSA signs', 'RS256 signs']);
  assert.deepEqual((await kids()).sort(), keys('list').map(({ kid }) => kid).sort());
});

test('oidcc-server-rotate-keys: the next key is published beside the old one, which goes on signing', async () => {
  const old = await kids();
  const token = await idToken();
  const { headers } = await id.json('/oauth2/jwks');
  keys('rotate');
  const now = await jwks();
  assert.equal(now.length, 6);
  for (const kid of old) assert.ok(now.some((key) => key.kid === kid));
  const changed = await fetch(`${id.issuer}/oauth2/jwks`, { headers: { 'if-none-match': headers.get('etag') } });
  assert.equal(changed.status, 200);
  assert.equal((await verifyIdToken(id, await idToken(), app.id)).kid, (await verifyIdToken(id, token, app.id)).kid);
});

test('rotated at once: new tokens by the new key, the old ones still good, also as hints', async () => {
  const old = await idToken();
  const before = signs();
  keys('rotate', '--alg', 'ES256', '--now');
  assert.notEqual(signs(), before);
  const fresh = await idToken();
  assert.equal((await verifyIdToken(id, fresh, app.id)).kid, signs());
  assert.equal((await verifyIdToken(id, old, app.id)).kid, before);
  const browser = id.browser();
  await id.authorize(browser, app);
  const { url } = id.authorizeUrl(app, { prompt: 'none', id_token_hint: old });
  assert.ok(id.cameBack(await browser.get(url)).parameters.code);
});

test('a relying party that kept the old list asks for the new one by itself', async () => {
  const cached = createRemoteJWKSet(new URL('/oauth2/jwks', id.issuer), { cooldownDuration: 0 });
  await jwtVerify(await idToken(), cached, { issuer: id.issuer });
  keys('rotate', '--alg', 'ES256', '--now');
  await jwtVerify(await idToken(), cached, { issuer: id.issuer });
});

test('a deleted key signs nothing any more that anybody believes', async () => {
  const token = await idToken();
  const { kid } = await verifyIdToken(id, token, app.id);
  assert.equal(id.run(['keys', 'delete', kid, '--yes']).code, 1);  // it signs now
  keys('rotate', '--alg', 'ES256', '--now');
  assert.equal(id.run(['keys', 'delete', kid]).code, 1);  // nobody said yes
  id.installation.must(['keys', 'delete', kid, '--yes']);
  assert.ok(!(await kids()).includes(kid));
  await assert.rejects(verifyIdToken(id, token, app.id), { code: 'ERR_JWKS_NO_MATCHING_KEY' });
  const { url } = id.authorizeUrl(app, { prompt: 'none', id_token_hint: token });
  assert.equal(id.cameBack(await id.browser().get(url)).parameters.error, 'invalid_request');
});

test('keys are the same after a restart, and a command without a server changes them too', async () => {
  const before = await jwks();
  const token = await idToken();
  await id.restart();
  assert.deepEqual(await jwks(), before);
  await verifyIdToken(id, token, app.id);
  await id.installation.stop();
  keys('rotate', '--alg', 'EdDSA', '--now');
  await id.begin();
  assert.equal((await jwks()).length, before.length + 1);
  assert.match(id.run(['keys', 'list']).stdout, /^KEY +ALGORITHM +STATE +CREATED +SIGNS FROM/);
});
