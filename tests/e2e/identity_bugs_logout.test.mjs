// Bug class 15 of identity providers: what ends a session, and where that leads.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { IdentityServer } from './lib/identity.mjs';

let id, app, other, listener;
const told = [];
const bye = 'https://app.example/bye?x=1';

before(async () => {
  listener = createServer((request, response) => {
    let body = '';
    request.on('data', (piece) => (body += piece)).on('end', () => { told.push(new URLSearchParams(body).get('logout_token')); response.end(); });
  });
  await new Promise((done) => listener.listen(0, '127.0.0.1', done));
  id = await IdentityServer.start();
  app = id.addClient('app', ['--public', '--first-party', '--post-logout-uri', bye, '--post-logout-uri', 'https://app.example/out',
    '--backchannel-logout', `http://127.0.0.1:${listener.address().port}/told`]);
  other = id.addClient('other', ['--public', '--first-party', '--post-logout-uri', 'https://other.example/out']);
});
after(async () => {
  await id?.remove();
  listener?.close();
});

async function signedIn(user = 'alice', client = app) {
  const browser = id.browser();
  const { id_token } = await id.tokens(client, { browser, user });
  return { browser, hint: id_token };
}
const logout = (browser, parameters) => browser.request('GET', `/oauth2/logout?${new URLSearchParams(parameters)}`);
const lives = async (browser) => (await browser.get('/account/sessions')).kind !== 'sign-in';

test('bug 15: only a registered address is led to, compared whole', async () => {
  for (const uri of ['https://evil.example/', '/\\evil.example', '//evil.example', '/%2f%5cevil.example', '%2f%5cevil.example', '\\\\evil.example', 'https:evil.example',
    'https://app.example/bye', 'https://app.example/bye?x=1&y=2', 'https://app.example/bye?x=1#f', 'https://APP.example/bye?x=1', 'https://app.example/out/', 'https://app.example/out%0d%0aSet-Cookie:x=1',
    'https://app.example/out\r\nSet-Cookie: x=1', 'https://app.example@evil.example/out', 'https://other.example/out', 'javascript:alert(1)', 'data:text/html,x', 'https://app.example/callback', app.redirect, '', ' ', '.']) {
    const { browser, hint } = await signedIn();
    const page = await logout(browser, { id_token_hint: hint, post_logout_redirect_uri: uri, state: 's' });
    assert.equal(page.status, 200, uri);
    assert.equal(page.location, undefined, uri);
    assert.ok(!page.text.includes('evil.example'), uri);
    assert.deepEqual(page.setCookies.filter((line) => line.startsWith('x=')), []);
    assert.equal(await lives(browser), false, uri);
  }
  for (const uri of [bye, 'https://app.example/out']) {
    const { browser, hint } = await signedIn();
    const page = await logout(browser, { id_token_hint: hint, post_logout_redirect_uri: uri, state: 'a&b=c\r\nX: y' });
    assert.ok(page.headers.get('location').startsWith(uri + (uri === bye ? '&' : '?') + 'state=a%26b%3Dc%0D%0AX'), page.headers.get('location'));
    assert.equal(page.location.searchParams.get('state'), 'a&b=c\r\nX: y');
  }
});

test('bug 15: two addresses at once, or one without a client, lead nowhere', async () => {
  const { browser, hint } = await signedIn();
  const twice = await browser.request('GET', `/oauth2/logout?id_token_hint=${hint}&post_logout_redirect_uri=${encodeURIComponent(bye)}&post_logout_redirect_uri=https://evil.example/`);
  assert.equal(twice.location, undefined);
  const nobody = await logout(id.browser(), { post_logout_redirect_uri: bye });
  assert.equal(nobody.location, undefined);
  const named = await logout(id.browser(), { post_logout_redirect_uri: bye, client_id: 'app' });
  assert.equal(named.location, undefined, 'a name proves nothing');
  const mixed = await logout((await signedIn()).browser, { id_token_hint: hint, client_id: 'other', post_logout_redirect_uri: 'https://other.example/out' });
  assert.equal(mixed.kind, 'sign-out');
});

test("bug 15: a missing, bent or other user's hint is asked about first", async () => {
  const { hint: bobs } = await signedIn('bob');
  const { hint: formers, browser: former } = await signedIn();
  const elsewhere = (await signedIn()).hint;
  const bent = formers.slice(0, -4) + (formers.endsWith('AAAA') ? 'BBBB' : 'AAAA');
  for (const id_token_hint of [undefined, '', 'x', bent, bobs, elsewhere]) {
    const page = await logout(former, { ...(id_token_hint === undefined ? {} : { id_token_hint }), post_logout_redirect_uri: bye, client_id: 'app' });
    assert.equal(page.kind, 'sign-out', String(id_token_hint));
    assert.equal(page.location, undefined);
    assert.ok(await lives(former));
    const stayed = await former.submit(page, {}, { button: 'deny' });
    assert.equal(stayed.location, undefined);
    assert.ok(await lives(former));
  }
  // A form that is not this browser's ends nothing.
  const page = await logout(former, {});
  const { browser: victim } = await signedIn('bob');
  assert.equal((await victim.submit(page, {}, { button: 'approve' })).status, 403);
  assert.ok(await lives(victim));
  await former.submit(page, {}, { button: 'approve' });
  assert.equal(await lives(former), false);
});

test('bug 15: a confirmed logout leads back where its request named a registered address, and nowhere else', async () => {
  for (const [uri, leads] of [[bye, true], ['https://evil.example/', false], ['https://other.example/out', false]]) {
    const { browser } = await signedIn();
    const page = await logout(browser, { client_id: 'app', post_logout_redirect_uri: uri });
    assert.equal(page.kind, 'sign-out');
    const policy = page.headers.get('content-security-policy');
    assert.equal(policy.includes(new URL(uri).origin), leads, policy);
    const done = await browser.submit(page, { post_logout_redirect_uri: 'https://evil.example/' }, { button: 'approve' });
    assert.equal(done.location?.href, leads ? bye : undefined);
    assert.equal(await lives(browser), false);
  }
});

test('bug 15: a cross-site image or form cannot sign anybody out', async () => {
  const { browser } = await signedIn();
  assert.equal((await browser.request('GET', '/oauth2/logout', { from: 'https://evil.example' })).kind, 'sign-out');
  // A form posted from there comes without cookies; also one that is too long to be asked for again by GET.
  for (const state of ['s', 's'.repeat(7000)]) {
    const posted = await browser.request('POST', '/oauth2/logout', { from: 'https://evil.example', fields: { client_id: 'app', state } });
    assert.ok(posted.status === 303 || posted.status === 200);
    assert.deepEqual(posted.setCookies.filter((line) => line.includes('muhur-session')), [], 'a foreign form took the cookie');
  }
  assert.ok(await lives(browser));
});

test('bug 50: the clients of a session are told when it ends, once and by its sid', async () => {
  const { browser, hint } = await signedIn();
  const { sid } = JSON.parse(Buffer.from(hint.split('.')[1], 'base64url'));
  told.length = 0;
  await logout(browser, { id_token_hint: hint });
  const claimed = () => told.map((token) => JSON.parse(Buffer.from(token.split('.')[1], 'base64url'))).filter((claims) => claims.sid === sid);
  for (let i = 0; i < 200 && claimed().length === 0; ++i) await new Promise((done) => setTimeout(done, 50));
  const [claims] = claimed();
  assert.equal(claims.aud, 'app');
  assert.equal(claims.nonce, undefined);
  assert.deepEqual(claims.events, { 'http://schemas.openid.net/event/backchannel-logout': {} });
  // A logout token is no ID token.
  const page = await logout((await signedIn()).browser, { id_token_hint: told[0] });
  assert.equal(page.kind, 'sign-out');
  assert.equal(claimed().length, 1);
});

test("bug 50: nobody ends another user's sessions", async () => {
  const alice = await signedIn('alice'), bob = await signedIn('bob');
  await signedIn('alice');
  await signedIn('bob');
  const page = await alice.browser.get('/account/sessions');
  const sid = (await bob.browser.get('/account/sessions')).form('sid').fields.sid;
  const done = await alice.browser.submit(page, { sid }, { form: page.form('sid') });
  assert.equal(done.status, 200);
  assert.match((await bob.browser.get('/account/sessions')).text, new RegExp(`value="${sid}"`));
  assert.ok(await lives(alice.browser));
});
