// Bug classes of identity providers about authorization codes: single use, binding, PKCE.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { atOnce } from './lib/attack.mjs';
import { IdentityServer, pkce } from './lib/identity.mjs';

let id, app, other, server, lax;
const jar = {};

before(async () => {
  id = await IdentityServer.start();
  app = id.addClient('app', ['--public', '--first-party']);
  other = id.addClient('other', ['--public', '--first-party']);
  server = id.addClient('server', ['--first-party', '--may-introspect']);
  lax = id.addClient('lax', ['--first-party', '--no-pkce']);
  jar.alice = id.browser();
  await id.authorize(jar.alice, app);
});
after(() => id?.remove());

const fresh = (client = app, parameters = {}) => id.authorize(jar.alice, client, parameters);
const active = async (token) => (await id.introspect(server, token)).body.active;

function assertRefused(answer, error = 'invalid_grant', status = 400) {
  assert.equal(answer.status, status, answer.text);
  assert.equal(answer.body.error, error, answer.text);
  assert.equal(answer.body.access_token, undefined);
  assert.equal(answer.headers.get('cache-control'), 'no-store');
}

test('bug 6: of 20 parallel redemptions of a code one succeeds, and what it gave is taken back', async () => {
  for (const client of [app, server]) {
    const back = await fresh(client);
    const answers = await atOnce(20, () => id.exchange(client, back));
    const won = answers.filter(({ status }) => status === 200);
    assert.equal(won.length, 1);
    for (const lost of answers.filter((answer) => answer !== won[0])) assertRefused(lost);
    const { access_token, refresh_token } = won[0].body;
    assert.equal(await active(access_token), false);
    assert.equal(await active(refresh_token), false);
    assertRefused(await id.token(client, { grant_type: 'refresh_token', refresh_token }));
    assert.equal((await id.userinfo(access_token)).status, 401);
  }
});

test('bug 6: one page that is submitted 20 times at once gives one code', async () => {
  const browser = id.browser();
  const page = await browser.get(id.authorizeUrl(app).url);
  const answers = await atOnce(20, () => id.signIn(browser.copy(), page));
  assert.equal(answers.filter(({ location }) => location?.searchParams.get('code')).length, 1);
  for (const answer of answers.filter(({ location }) => !location)) assert.equal(answer.status, 400);
});

test('bug 7: a code is bound to its client, and burnt when another one shows it', async () => {
  for (const [owner, thief] of [[app, other], [app, server], [server, app], [server, lax]]) {
    const back = await fresh(owner);
    const stolen = await id.exchange({ ...thief, redirect: owner.redirect }, back);
    assertRefused(stolen);
    assertRefused(await id.exchange(owner, back));
  }
  // Who cannot prove to be a client burns nothing.
  const back = await fresh(server);
  assertRefused(await id.exchange({ ...server, secret: 'wrong' }, back), 'invalid_client', 401);
  assertRefused(await id.exchange({ id: 'server', redirect: server.redirect }, back), 'invalid_client', 401);
  assert.equal((await id.exchange(server, back)).status, 200);
});

test('bug 7: a code is bound to its redirect URI', async () => {
  const two = id.addClient('two', ['--public', '--first-party', '--redirect-uri', 'https://a.example/cb', '--redirect-uri', 'https://b.example/cb']);
  for (const redirect_uri of ['https://b.example/cb', undefined, '', 'https://a.example/cb/', 'https://evil.example/']) {
    const back = await fresh(two);
    assertRefused(await id.exchange(two, back, { fields: { redirect_uri } }));
    assertRefused(await id.exchange(two, back));
  }
});

test('bug 10: PKCE cannot be left out, swapped or weakened on either side', async () => {
  // A verifier for a code that was asked for without a challenge.
  const without = { code_challenge: undefined, code_challenge_method: undefined };
  assertRefused(await id.exchange(lax, await fresh(lax, without), { fields: { code_verifier: pkce().verifier } }));
  assert.equal((await id.exchange(lax, await fresh(lax, without), { fields: { code_verifier: undefined } })).status, 200);
  // A challenge and no verifier, an empty, a wrong, a short, the challenge itself.
  for (const client of [app, lax, server]) {
    for (const make of [() => undefined, () => '', () => pkce().verifier, (back) => back.verifier.slice(1) + 'A', (back) => back.challenge]) {
      const { url, verifier } = id.authorizeUrl(client);
      const back = await id.complete(jar.alice, await jar.alice.get(url));
      const code_verifier = make({ verifier, challenge: url.searchParams.get('code_challenge') });
      const answer = await id.exchange(client, back, { fields: { code_verifier } });
      assert.equal(answer.status, 400, answer.text);
      assert.match(answer.body.error, /^invalid_(grant|request)$/);
      assertRefused(await id.exchange(client, { ...back, verifier }));
    }
  }
  // plain is refused by name and by leaving the method out; a public client cannot do without.
  const { verifier, challenge } = pkce();
  for (const parameters of [{ code_challenge_method: 'plain' }, { code_challenge_method: undefined }, { code_challenge_method: 's256' },
    { code_challenge: verifier.slice(1), code_challenge_method: 'S256' }, { code_challenge: challenge + '=' }, { code_challenge: '' },
    { code_challenge: [challenge, pkce().challenge] }, without]) {
    const back = await fresh(app, { code_challenge: challenge, ...parameters });
    assert.equal(back.parameters.error, 'invalid_request', JSON.stringify(parameters));
    assert.equal(back.parameters.code, undefined);
  }
  // Not even by registering so.
  assert.notEqual(id.run(['client', 'add', '--id', 'open', '--public', '--no-pkce', '--redirect-uri', 'https://o.example/']).code, 0);
  assert.deepEqual((await id.json('/.well-known/openid-configuration')).body.code_challenge_methods_supported, ['S256']);
});

test('bug 10: the verifier of one code does not open another, and a code runs once with its own', async () => {
  const [first, second] = [await fresh(), await fresh()];
  assertRefused(await id.exchange(app, { ...first, verifier: second.verifier }));
  assert.equal((await id.exchange(app, second)).status, 200);
});

test('bug 38: nothing of a confidential client works without its proof, however its id is left out', async () => {
  const { refresh_token } = await id.tokens(server, { browser: jar.alice });
  const fields = { grant_type: 'refresh_token', refresh_token };
  for (const [client, more, options] of [
    [undefined, {}, {}], [{ id: 'server' }, {}, {}], [{ id: 'server', secret: '' }, {}, { send: 'post' }], [{ id: 'server', secret: 'x' }, {}, { send: 'post' }],
    [{ id: 'server', secret: '' }, {}, { send: 'basic' }], [{ id: '', secret: server.secret }, {}, { send: 'basic' }], [app, {}, {}],
    [undefined, { client_id: 'SERVER' }, {}], [undefined, { client_id: '' }, {}], [undefined, { client_assertion: 'x' }, {}],
    [undefined, {}, { headers: { authorization: `Bearer ${refresh_token}` } }], [server, {}, { send: 'post' }],
  ]) {
    const answer = await id.token(client, { ...fields, ...more }, options);
    assert.notEqual(answer.status, 200, answer.text);
    assert.match(answer.body.error, /^invalid_(client|grant|request)$/);
  }
  // Two ways at once are one too many.
  const both = await id.token(server, { ...fields, client_secret: server.secret, client_id: 'server' });
  assertRefused(both, 'invalid_request');
  const twice = await id.token(undefined, { ...fields, client_id: ['server', 'app'] });
  assertRefused(twice, 'invalid_request');
  assert.equal((await id.token(server, fields)).status, 200);
});
