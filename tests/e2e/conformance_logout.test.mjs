// RP-initiated logout under the conformance suite's names. What is not surely wanted asks first; nothing leads to an
// address that is not registered.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SignJWT } from 'jose';
import { IdentityServer } from './lib/identity.mjs';
import { makeKey } from './lib/relying_party.mjs';

const landing = 'https://app.example.org/signed-out';
let id, app;
before(async () => {
  id = await IdentityServer.start();
  app = id.addClient('app', ['--post-logout-uri', landing]);
});
after(() => id?.remove());

async function signedIn(user = 'alice') {
  const browser = id.browser();
  const { id_token } = await id.tokens(app, { browser, user });
  return { browser, id_token };
}
function leave(browser, parameters) {
  const url = new URL('/oauth2/logout', id.issuer);
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value);
  return browser.get(url);
}
async function isSignedIn(browser) {
  const { parameters } = id.cameBack(await browser.get(id.authorizeUrl(app, { prompt: 'none' }).url));
  assert.ok(parameters.code || parameters.error === 'login_required', JSON.stringify(parameters));
  return 'code' in parameters;
}
// Asked, and still signed in; after the answer signed out, on our own page or where the registration says.
async function asksFirst({ browser }, page, { leads } = {}) {
  assert.equal(page.kind, 'sign-out', page.title);
  assert.equal(page.location, undefined);
  assert.equal(await isSignedIn(browser), true);
  const stayed = await browser.submit(page, {}, { form: page.form('pending'), button: 'deny' });
  assert.equal(stayed.status, 200);
  assert.equal(await isSignedIn(browser), true);
  const left = await browser.submit(page, {}, { form: page.form('pending'), button: 'approve' });
  assert.equal(left.location?.href, leads);
  assert.equal(await isSignedIn(browser), false);
}

test('oidcc-rp-initiated-logout: back at the client with the state, and signed out', async () => {
  const { browser, id_token } = await signedIn();
  const page = await leave(browser, { id_token_hint: id_token, post_logout_redirect_uri: landing, state: 'x y&z' });
  assert.equal(page.location.href, `${landing}?state=x%20y%26z`);
  assert.equal(browser.cookie('muhur-session'), undefined);
  assert.equal(await isSignedIn(browser), false);
});

test('oidcc-rp-initiated-logout by POST, which carries long hints', async () => {
  const { browser, id_token } = await signedIn();
  const page = await browser.post('/oauth2/logout', { id_token_hint: id_token, post_logout_redirect_uri: landing, state: 's' }, { from: 'https://app.example.org' });
  assert.equal(page.location.href, `${landing}?state=s`);
  assert.equal(await isSignedIn(browser), false);
});

test('oidcc-rp-initiated-logout-no-state: back without one', async () => {
  const { browser, id_token } = await signedIn();
  assert.equal((await leave(browser, { id_token_hint: id_token, post_logout_redirect_uri: landing })).location.href, landing);
});

test('oidcc-rp-initiated-logout-bad-post-logout-redirect-uri: our own page', async () => {
  for (const post_logout_redirect_uri of ['https://app.example.org/elsewhere', 'https://evil.example/', '//evil.example', '/\\evil.example', `${landing}\r\nX: y`, `${landing}/`]) {
    const { browser, id_token } = await signedIn();
    const page = await leave(browser, { id_token_hint: id_token, post_logout_redirect_uri });
    assert.equal(page.location, undefined, post_logout_redirect_uri);
    assert.equal(page.status, 200);
  }
});

test('oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri: our own page', async () => {
  const { browser, id_token } = await signedIn();
  assert.equal((await leave(browser, { id_token_hint: id_token, post_logout_redirect_uri: `${landing}?foo=bar` })).location, undefined);
});

test('oidcc-rp-initiated-logout-bad-id-token-hint: signed by somebody else, it asks and leads nowhere', async () => {
  const session = await signedIn();
  const key = await makeKey('ES256');
  const claims = JSON.parse(Buffer.from(session.id_token.split('.')[1], 'base64url'));
  const { kid } = JSON.parse(Buffer.from(session.id_token.split('.')[0], 'base64url'));
  const forged = await new SignJWT(claims).setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid }).sign(key.privateKey);
  await asksFirst(session, await leave(session.browser, { id_token_hint: forged, post_logout_redirect_uri: landing }));
});

test('oidcc-rp-initiated-logout-modified-id-token-hint: made alg none, it asks and leads nowhere', async () => {
  const session = await signedIn();
  const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${session.id_token.split('.')[1]}.`;
  await asksFirst(session, await leave(session.browser, { id_token_hint: none, post_logout_redirect_uri: landing }));
});

test('oidcc-rp-initiated-logout-no-id-token-hint: it asks', async () => {
  const session = await signedIn();
  await asksFirst(session, await leave(session.browser, { post_logout_redirect_uri: landing }));
  const named = await signedIn();  // with the client named, what was confirmed may lead back to it
  await asksFirst(named, await leave(named.browser, { client_id: 'app', post_logout_redirect_uri: landing, state: 's' }), { leads: `${landing}?state=s` });
});

for (const [name, parameters] of [['no-params', {}], ['only-state', { state: 'x' }]])
  test(`oidcc-rp-initiated-logout-${name}: it asks, then our own page`, async () => {
    const session = await signedIn();
    await asksFirst(session, await leave(session.browser, parameters));
  });

test('oidcc-rp-initiated-logout-no-post-logout-redirect-uri: signed out, on our own page', async () => {
  const { browser, id_token } = await signedIn();
  const page = await leave(browser, { id_token_hint: id_token });
  assert.equal(page.status, 200);
  assert.equal(page.location, undefined);
  assert.equal(await isSignedIn(browser), false);
});

test('a hint of another user, or of another session, asks first', async () => {
  const alice = await signedIn();
  const bob = await signedIn('bob');
  await asksFirst(alice, await leave(alice.browser, { id_token_hint: bob.id_token, post_logout_redirect_uri: landing }), { leads: landing });
  const elsewhere = await signedIn();
  const here = await signedIn();
  await asksFirst(here, await leave(here.browser, { id_token_hint: elsewhere.id_token }));
  assert.equal(await isSignedIn(elsewhere.browser), true);
});

test('who is not signed in is led back all the same', async () => {
  const { browser, id_token } = await signedIn();
  await leave(browser, { id_token_hint: id_token });
  const page = await leave(browser, { id_token_hint: id_token, post_logout_redirect_uri: landing, state: 's' });
  assert.equal(page.location.href, `${landing}?state=s`);
});

test('the answer on the sign-out page cannot be given from another site or another browser', async () => {
  const { browser } = await signedIn();
  const page = await leave(browser, {});
  const form = page.form('pending');
  const foreign = await browser.post('/oauth2/logout', { ...form.fields, decision: 'approve' }, { from: 'https://evil.example' });
  assert.equal(foreign.status, 403);
  const other = id.browser();
  await other.get('/oauth2/logout');
  assert.equal((await other.post('/oauth2/logout', { ...form.fields, decision: 'approve' }, { from: id.issuer })).status, 403);
  assert.equal(await isSignedIn(browser), true);
});
