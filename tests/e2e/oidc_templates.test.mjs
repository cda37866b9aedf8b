// `muhur client add --template …`: the printed settings, taken at their word, sign somebody in as that software does.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as openid from 'openid-client';
import { IdentityServer, claimsOf } from './lib/identity.mjs';
import { codeFlow, discover, makeKey, addKeyClient, verifyIdToken } from './lib/relying_party.mjs';

let id;
before(async () => { id = await IdentityServer.start(); });
after(() => id?.remove());

const add = (software, args = []) =>
  id.addClient(software, ['--template', software, '--url', `https://${software}.example.org`, ...args]);
// The values behind `name = value`, `name: value` or $config['name'] = 'value'; in the printed text.
function settings(text) {
  const found = {};
  for (const line of text.split('\n')) {
    const [, name, value] = /^(?:\$config\[')?([\w-]+)(?:'\])?\s*[=:]\s*(.+?);?$/.exec(line.trim()) ?? [];
    if (name) found[name] = value.replace(/^(['"])(.*)\1$/, '$2');
  }
  return found;
}

test('roundcube: no PKCE, no discovery, the secret in the body; the token opens userinfo', async () => {
  const client = add('roundcube');
  const set = settings(client.instructions);
  assert.equal(set.oauth_client_secret, client.secret);
  const url = new URL(set.oauth_auth_uri);
  url.search = new URLSearchParams({ response_type: 'code', client_id: set.oauth_client_id, scope: set.oauth_scope, redirect_uri: 'https://roundcube.example.org/index.php/login/oauth', state: 'r' });
  const browser = id.browser();
  const back = await id.complete(browser, await browser.get(url));
  assert.equal(back.parameters.state, 'r');
  const answer = await fetch(set.oauth_token_uri, { method: 'POST', body: new URLSearchParams({
    code: back.parameters.code, client_id: set.oauth_client_id, client_secret: set.oauth_client_secret, redirect_uri: `${back.redirect.origin}${back.redirect.pathname}`, grant_type: 'authorization_code',
  }) });
  const tokens = await answer.json();
  assert.ok(tokens.access_token && tokens.refresh_token, JSON.stringify(tokens));
  assert.match(tokens.scope, /\bmail\b/);
  const who = await (await fetch(set.oauth_identity_uri, { headers: { authorization: `Bearer ${tokens.access_token}` } })).json();
  assert.equal(who[/\['(\w+)'\]/.exec(client.instructions.split('oauth_identity_fields').pop())[1]], 'alice@example.org');
});

test('grafana: PKCE, the secret in the header, groups for roles, refresh', async () => {
  const client = add('grafana');
  const set = settings(client.instructions);
  assert.deepEqual([set.client_id, set.client_secret, set.use_pkce, set.auth_style], [client.id, client.secret, 'true', 'InHeader']);
  const app = { ...client, redirect: `${set.root_url}/login/generic_oauth` };
  const tokens = await id.tokens(app, { scope: set.scopes, user: 'admin' });
  const who = await (await fetch(set.api_url, { headers: { authorization: `Bearer ${tokens.access_token}` } })).json();
  assert.equal(who[set.login_attribute_path], 'admin@example.org');
  assert.deepEqual(who[set.groups_attribute_path], ['admins', 'users']);
  assert.equal((await id.token(app, { grant_type: 'refresh_token', refresh_token: tokens.refresh_token })).status, 200);
  for (const [name, path] of [['auth_url', 'authorize'], ['token_url', 'token']]) assert.equal(set[name], `${id.issuer}/oauth2/${path}`);
});

test('nextcloud: by the discovery document, RS256, both kinds of addresses', async () => {
  const client = add('nextcloud');
  const option = (name) => new RegExp(`--${name}=(?:'([^']+)'|(\\S+))`).exec(client.instructions).slice(1).join('');
  assert.equal(option('discoveryuri'), `${id.issuer}/.well-known/openid-configuration`);
  assert.equal((await fetch(option('discoveryuri'))).status, 200);
  const config = await discover(id, client, openid.ClientSecretPost(option('clientsecret')), { id_token_signed_response_alg: 'RS256' });
  for (const path of ['/apps/user_oidc/code', '/index.php/apps/user_oidc/code']) {
    const app = { ...client, redirect: `https://nextcloud.example.org${path}` };
    const { tokens } = await codeFlow(id, config, app, { parameters: { scope: option('scope') } });
    const info = await openid.fetchUserInfo(config, tokens.access_token, tokens.claims().sub);
    assert.equal(info.email, 'alice@example.org');
    assert.equal((await verifyIdToken(id, tokens.id_token, client.id)).alg, 'RS256');
  }
  assert.match(client.client.backchannel_logout_uri, /^https:\/\/nextcloud\.example\.org\/apps\/user_oidc\/backchannel-logout\//);
});

test('oauth2-proxy: by the issuer, PKCE, groups', async () => {
  const client = add('oauth2-proxy');
  const set = settings(client.instructions);
  assert.equal(set.oidc_issuer_url, id.issuer);
  const config = await openid.discovery(new URL(set.oidc_issuer_url), set.client_id, {}, openid.ClientSecretBasic(set.client_secret), { execute: [openid.allowInsecureRequests] });
  const { tokens } = await codeFlow(id, config, { redirect: set.redirect_url }, { parameters: { scope: set.scope } });
  const info = await openid.fetchUserInfo(config, tokens.access_token, tokens.claims().sub);
  assert.deepEqual(info[set.oidc_groups_claim], ['users']);
  assert.ok(tokens.refresh_token);
});

test('fapi2: pushed, bound, with the server’s nonces, which openid-client learns by itself', async () => {
  const keyed = addKeyClient(id, 'fapi2', [await makeKey()], ['--template', 'fapi2', '--url', 'https://fapi2.example.org']);
  const client = { ...keyed, redirect: settings(keyed.instructions).redirect_uri };
  assert.deepEqual([client.secret, client.client.auth], [undefined, 'private_key_jwt']);
  const [key] = client.keys;
  const config = await discover(id, client, openid.PrivateKeyJwt({ key: key.privateKey, kid: key.jwk.kid }));
  const DPoP = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair('ES256'));
  const { tokens } = await codeFlow(id, config, client, { par: true, grant: { DPoP }, parameters: { scope: 'openid email' } });
  assert.equal(tokens.token_type, 'dpop');
  const info = await openid.fetchUserInfo(config, tokens.access_token, tokens.claims().sub, { DPoP });
  assert.equal(info.email, 'alice@example.org');
});

test('the settings can be asked for in the command’s other ways, and a wrong address is refused', async () => {
  assert.match(id.run(['client', 'add', '--template', 'gitea', '--url', 'https://x.example.org']).stderr, /roundcube, grafana, nextcloud, oauth2-proxy/);
  for (const url of ['ftp://x.example.org', 'https://x.example.org/?a=1', 'x']) assert.equal(id.run(['client', 'add', '--template', 'grafana', '--url', url]).code, 1);
  const text = id.run(['client', 'add', '--template', 'grafana', '--url', 'https://second.example.org', '--id', 'second']).stdout;
  assert.match(text, /Secret: [\w-]{43}/);
  assert.match(text, /client_secret = [\w-]{43}/);
  // The instructions named https://HOST whatever http.issuer said.
  assert.match(text, new RegExp(`token_url = ${id.issuer}/oauth2/token`));
  const other = id.run(['client', 'add', '--template', 'grafana', '--url', 'https://third.example.org', '--issuer', 'https://id.example.org']).stdout;
  assert.match(other, /token_url = https:\/\/id\.example\.org\/oauth2\/token/);
});

test('a secret that was rotated, a client that was changed or deleted: the running server knows at once', async () => {
  const client = id.addClient('changing');
  const back = await id.authorize(id.browser(), client);
  const { secret } = JSON.parse(id.installation.must(['client', 'rotate-secret', 'changing', '--json']).stdout);
  assert.equal((await id.exchange(client, back)).body.error, 'invalid_client');
  const tokens = await id.exchange({ ...client, secret }, back);
  assert.equal(tokens.status, 200);
  assert.equal(claimsOf(tokens.body.id_token).aud, 'changing');
  id.installation.must(['client', 'change', 'changing', '--redirect-uri', 'https://new.example.org/cb']);
  assert.equal((await id.authorize(id.browser(), client)).page.status, 400);
  id.installation.must(['client', 'delete', 'changing', '--yes']);
  assert.equal((await id.userinfo(tokens.body.access_token)).status, 401);
});
