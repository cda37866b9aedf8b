// `muhur demo` as a provider to try out: its three clients, and the five steps of the load scenario at the server
// as the benchmark drives it.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import * as openid from 'openid-client';
import { IdentityServer, pkce } from './lib/identity.mjs';
import { codeFlow, discover } from './lib/relying_party.mjs';
import { Process, temporaryDirectory } from './lib/server.mjs';

const directory = temporaryDirectory();
let demo, ready, id;
before(async () => {
  demo = new Process(['demo', '--data', join(directory, 'demo'), '--ports', '0', '--bench-accounts', '3', '--bench-password-cost', '4', '--json'], { settings: {} });
  ready = await demo.ready;
  // The library's flows, over a server that it did not start.
  id = Object.assign(Object.create(IdentityServer.prototype), { issuer: ready.http });
});
after(async () => {
  await demo?.stop();
  rmSync(directory, { recursive: true, force: true });
});
const withRedirect = (client, redirect = 'http://127.0.0.1:45678/callback') => ({ id: client.client_id, secret: client.client_secret, redirect });
const [alice] = [() => ({ user: ready.users[0].address, password: ready.users[0].password })];

test('the line tells where HTTP is, and the clients', () => {
  assert.match(ready.http, /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.deepEqual(Object.keys(ready.clients), ['demo', 'confidential', 'bench']);
  assert.equal('client_secret' in ready.clients.demo, false);
});

test('demo is public and asks for consent; any port of 127.0.0.1 will do', async () => {
  for (const port of [1024, 65535]) {
    const client = withRedirect(ready.clients.demo, `http://127.0.0.1:${port}/callback`);
    const back = await id.authorize(id.browser(), client, { scope: 'openid profile email', prompt: 'consent' }, alice());
    assert.equal(back.redirect.port, `${port}`);
    assert.equal((await id.exchange(client, back)).status, 200);
  }
  const { page } = await id.authorize(id.browser(), withRedirect(ready.clients.demo, 'http://127.0.0.1:1024/callback/x'));
  assert.equal(page.status, 400);
});

test('confidential: openid-client signs in, introspects, and works for itself', async () => {
  const client = withRedirect(ready.clients.confidential);
  const config = await discover(id, client, openid.ClientSecretBasic(client.secret));
  const browser = id.browser();
  const { url, verifier } = id.authorizeUrl(client, { scope: 'openid email' });
  const back = await id.complete(browser, await browser.get(url), alice());
  const tokens = await openid.authorizationCodeGrant(config, back.redirect, { pkceCodeVerifier: verifier, expectedState: back.parameters.state });
  assert.equal((await openid.tokenIntrospection(config, tokens.access_token)).active, true);
  const own = await openid.clientCredentialsGrant(config);
  assert.equal((await openid.tokenIntrospection(config, own.access_token)).sub, client.id);
});

test('bench: five steps without a question, introspection as JSON by the token itself', async () => {
  const client = withRedirect(ready.clients.bench, 'http://127.0.0.1/callback');
  for (let i = 1; i <= 3; ++i) {
    const who = { user: `bench000${i}@example.org`, password: `bench-password-000${i}` };
    const back = await id.authorize(id.browser(), client, { scope: 'openid profile email' }, who);
    const { body } = await id.exchange(client, back);
    const seen = await fetch(`${id.issuer}/oauth2/introspect`, {
      method: 'POST', headers: { 'content-type': 'application/json', authorization: `Bearer ${body.access_token}` }, body: JSON.stringify({ token: body.access_token }),
    });
    const told = await seen.json();
    assert.deepEqual([told.active, told.username], [true, who.user]);
    assert.equal((await id.token(client, { grant_type: 'refresh_token', refresh_token: body.refresh_token })).status, 200);
  }
});

test('a single-page app may ask for tokens from its own origin, and for nothing that reads a cookie', async () => {
  const origin = 'https://spa.example.org';
  const preflight = await fetch(`${id.issuer}/oauth2/token`, { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'dpop,content-type' } });
  assert.ok(preflight.ok);
  assert.ok(['*', origin].includes(preflight.headers.get('access-control-allow-origin')));
  assert.match(preflight.headers.get('access-control-allow-headers').toLowerCase(), /dpop/);
  assert.equal(preflight.headers.get('access-control-allow-credentials'), null);
  for (const path of ['/oauth2/authorize', '/oauth2/login', '/oauth2/consent', '/oauth2/logout', '/device', '/account/sessions', '/oauth2/introspect', '/oauth2/register']) {
    const answer = await fetch(`${id.issuer}${path}`, { headers: { origin } });
    assert.equal(answer.headers.get('access-control-allow-origin'), null, path);
    await answer.arrayBuffer();
  }
});

test('the demonstration’s passwords and tokens are in no line that it wrote', async () => {
  const client = withRedirect(ready.clients.demo);
  const { verifier } = pkce();
  const back = await id.authorize(id.browser(), client, {}, alice());
  const { body } = await id.exchange(client, back);
  for (const secret of [ready.users[0].password, back.parameters.code, body.access_token, body.refresh_token, body.id_token, ready.clients.confidential.client_secret, verifier])
    assert.ok(!demo.stderr.includes(secret));
});
