// The basic profile's tests about who is signed in: prompt, max_age, hints, languages, display.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { IdentityServer } from './lib/identity.mjs';
import { verifyIdToken } from './lib/relying_party.mjs';

let id, app;
before(async () => {
  id = await IdentityServer.start();
  app = id.addClient('app');
});
after(() => id?.remove());

async function claims(back) {
  assert.ok(back.parameters.code, JSON.stringify(back.parameters));
  const { body } = await id.exchange(app, back);
  return { ...(await verifyIdToken(id, body.id_token, app.id)), token: body.id_token };
}
// An authorization without any help of a person: what the browser gets at once.
async function silently(browser, parameters) {
  const { url, verifier } = id.authorizeUrl(app, parameters);
  return { ...id.cameBack(await browser.get(url)), verifier };
}
async function signedIn(parameters, how) {
  const browser = id.browser();
  const first = await claims(await id.authorize(browser, app, parameters, how));
  return { browser, first };
}

test('oidcc-prompt-login: asked again, and auth_time is later', async () => {
  const { browser, first } = await signedIn();
  await setTimeout(1_100);
  const shown = await silently(browser, { prompt: 'login' });
  assert.equal(shown.page.kind, 'sign-in');
  const again = await claims(await id.authorize(browser, app, { prompt: 'login' }));
  assert.ok(again.auth_time > first.auth_time);
  assert.equal(again.sub, first.sub);
  assert.equal(again.sid, first.sid);
});

test('oidcc-prompt-none-not-logged-in: login_required, without a page', async () => {
  const { page, parameters } = await silently(id.browser(), { prompt: 'none' });
  assert.equal(page.status, 303);
  assert.equal(parameters.error, 'login_required');
  assert.equal(parameters.iss, id.issuer);
});

test('oidcc-prompt-none-logged-in: a code at once, for the same user and sign-in', async () => {
  const { browser, first } = await signedIn();
  const second = await claims(await silently(browser, { prompt: 'none' }));
  assert.equal(second.sub, first.sub);
  assert.equal(second.auth_time, first.auth_time);
});

test('oidcc-prompt-none: consent_required where consent is missing, invalid_request beside another prompt', async () => {
  const { browser } = await signedIn();
  assert.equal((await silently(browser, { prompt: 'none', scope: 'openid email groups' })).parameters.error, 'consent_required');
  assert.equal((await silently(browser, { prompt: 'none login' })).parameters.error, 'invalid_request');
  assert.equal((await silently(browser, { prompt: 'create' })).parameters.error, 'invalid_request');
});

test('oidcc-max-age-1: a second later the user is asked again', async () => {
  const { browser, first } = await signedIn({ max_age: '1' });
  await setTimeout(1_000);
  assert.equal((await silently(browser, { max_age: '1' })).page.kind, 'sign-in');
  assert.equal((await silently(browser, { max_age: '1', prompt: 'none' })).parameters.error, 'login_required');
  const again = await claims(await id.authorize(browser, app, { max_age: '1' }));
  assert.ok(again.auth_time > first.auth_time);
});

test('oidcc-max-age-10000: nobody is asked, and auth_time is there and the same', async () => {
  const { browser, first } = await signedIn({ max_age: '15000' });
  const second = await claims(await silently(browser, { max_age: '10000' }));
  assert.equal(second.auth_time, first.auth_time);
  assert.equal(second.sub, first.sub);
});

test('oidcc-id-token-hint: silently for the same user, login_required for another', async () => {
  const { browser, first } = await signedIn();
  const same = await claims(await silently(browser, { prompt: 'none', id_token_hint: first.token }));
  assert.equal(same.sub, first.sub);
  const { first: bob } = await signedIn({}, { user: 'bob' });
  assert.notEqual(bob.sub, first.sub);
  assert.equal((await silently(browser, { prompt: 'none', id_token_hint: bob.token })).parameters.error, 'login_required');
  // With a page, the other one may sign in; this one may not in their place.
  assert.equal((await id.authorize(browser, app, { id_token_hint: bob.token }, { user: 'alice' })).parameters.error, 'login_required');
  const forged = bob.token.replace(/\.[^.]*$/, '.' + Buffer.alloc(64).toString('base64url'));
  assert.equal((await silently(browser, { prompt: 'none', id_token_hint: forged })).parameters.error, 'invalid_request');
});

test('oidcc-login-hint: it stands in the form, as text', async () => {
  for (const login_hint of ['buffy@example.org', '"><script>alert(1)</script>', 'ığüşöç 한국어'.repeat(5)]) {
    const { page } = await silently(id.browser(), { login_hint });
    assert.equal(page.form('login').fields.login, login_hint);
    assert.ok(!page.text.includes('<script'));
  }
});

test('oidcc-ui-locales: the first language that there is, and no error for one that there is not', async () => {
  for (const [ui_locales, lang] of [['tr', 'tr'], ['ko', 'ko'], ['se', 'en'], ['fr-CA ko-KR en', 'ko'], ['', 'en']]) {
    const { page } = await silently(id.browser(), { ui_locales });
    assert.equal(page.kind, 'sign-in');
    assert.match(page.text, new RegExp(`<html lang="${lang}"`));
  }
});

test('oidcc-claims-locales: no error', async () => {
  await claims(await id.authorize(id.browser(), app, { claims_locales: 'se' }));
});

for (const display of ['page', 'popup', 'touch', 'wap'])
  test(`oidcc-display-${display}: a sign-in page and no error`, async () => {
    const browser = id.browser();
    assert.equal((await silently(browser, { display })).page.kind, 'sign-in');
    await claims(await id.authorize(browser, app, { display }));
  });

test('the request survives a wrong password with all that it asked for', async () => {
  const browser = id.browser();
  const { url, verifier, state } = id.authorizeUrl(app, { max_age: '0', nonce: 'kept', scope: 'openid email', ui_locales: 'tr', response_mode: 'form_post' });
  let page = await browser.get(url);
  page = await id.signIn(browser, page, 'alice', 'not her password');
  assert.equal(page.kind, 'sign-in');
  assert.ok(page.alert);
  assert.match(page.text, /<html lang="tr"/);
  assert.equal(page.form('login').fields.login, 'alice@example.org');
  assert.equal(page.form('login').fields.password, '');
  page = await id.signIn(browser, page);
  const back = await id.complete(browser, page);
  assert.equal(back.by, 'form_post');
  assert.equal(back.parameters.state, state);
  assert.equal((await claims({ ...back, verifier })).nonce, 'kept');
});
