// Signing in as people do it: with a keyboard alone, without scripts, in their language, large or still.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openBrowser, Visit } from './lib/chromium.mjs';
import { audit, focused } from './lib/page_audit.mjs';
import { signIn, Site } from './lib/pages_site.mjs';

let site, browser;
before(async () => {
  browser = await openBrowser();
  site = await Site.open({ clients: {
    own: ['--name', 'Own', '--first-party', '--scope', 'openid'],
    notes: ['--name', 'Notes', '--scope', 'openid', '--scope', 'profile', '--scope', 'email'],
  } });
});
after(async () => {
  await browser?.close();
  await site?.close();
});

const open = (options = {}) => Visit.open(browser, { locale: 'en-GB', origins: site.origins, ...options });
const language = ({ page }) => page.getAttribute('html', 'lang');
const atApplication = ({ page }) => page.url().startsWith(site.application.callback);

for (const javaScriptEnabled of [true, false])
  for (const mode of ['query', 'form_post'])
    test(`scripts ${javaScriptEnabled ? 'on' : 'off'}, ${mode}: a wrong password, the right one, and the application has a token`, async () => {
      const visit = await open({ javaScriptEnabled });
      await visit.page.goto(site.authorize('own', { response_mode: mode }));
      await signIn(visit, { ...site.user, password: 'wrong' });
      assert.match(await visit.text('[role=alert]'), /not right/);
      assert.equal(await visit.page.inputValue('#login'), site.user.login);
      assert.equal(await visit.page.inputValue('#password'), '');
      await signIn(visit, site.user);
      if (mode === 'form_post' && !javaScriptEnabled) await visit.press('main form button');
      await visit.page.waitForURL(site.application.callback + (mode === 'query' ? '?*' : ''));
      assert.equal(site.application.answers.at(-1).method, mode === 'query' ? 'GET' : 'POST');
      const { id_token } = await site.redeem('own');
      assert.ok(id_token);
      assert.deepEqual(visit.faults, []);
      await visit.close();
    });

test('by keyboard alone: everything is reached in order, and what has the focus is seen', async () => {
  for (const colorScheme of ['light', 'dark']) {
    const visit = await open({ colorScheme, viewport: { width: 320, height: 640 } });
    const { page } = visit;
    const { keyboard } = page;
    const step = async (key, what) => {
      await keyboard.press(key);
      assert.deepEqual(await focused(page), { what, ring: true, inView: true }, `${colorScheme}: ${key} to ${what}`);
    };
    await page.goto(site.authorize('notes', { scope: 'openid email' }));
    assert.deepEqual(await focused(page), { what: 'login', ring: true, inView: true });
    await step('Shift+Tab', 'Skip to content');
    await step('Tab', 'login');
    await keyboard.type(site.user.login);
    await step('Tab', 'password');
    await keyboard.type('wrong');
    await step('Tab', 'Sign in');
    for (const code of ['en', 'ko', 'tr']) await step('Tab', code);
    for (const what of ['ko', 'en', 'Sign in']) await step('Shift+Tab', what);
    await visit.leave(() => keyboard.press('Enter'));
    // Refused: the cursor is where the person goes on, and what is described there is the error.
    assert.equal((await focused(page)).what, 'password');
    const described = await page.getAttribute('#password', 'aria-describedby');
    assert.match(await visit.text('#' + described), /not right/);
    await keyboard.type(site.user.password);
    await visit.leave(() => keyboard.press('Enter'));
    await step('Tab', 'Skip to content');
    await keyboard.press('Enter');
    await step('Tab', 'decision');
    assert.equal(await page.evaluate(() => document.activeElement.value), 'approve');
    await step('Tab', 'decision');
    await visit.leave(() => keyboard.press('Space'));
    assert.equal(site.application.answers.at(-1).error, 'access_denied');
    assert.deepEqual(visit.faults, []);
    await visit.close();
  }
});

test('password managers know the fields', async () => {
  const visit = await open();
  await visit.page.goto(site.url);
  const fields = await visit.page.$$eval('form input:not([type=hidden])', (inputs) =>
    inputs.map(({ name, type, autocomplete, required, autocapitalize }) => ({ name, type, autocomplete, required, autocapitalize })));
  assert.deepEqual(fields, [
    { name: 'login', type: 'text', autocomplete: 'username', required: true, autocapitalize: 'none' },
    { name: 'password', type: 'password', autocomplete: 'current-password', required: true, autocapitalize: '' }]);
  await visit.close();
});

test('consent is remembered; for more it is asked again; and another account can be taken instead', async () => {
  const visit = await open();
  const { page } = visit;
  await page.goto(site.authorize('notes', { scope: 'openid profile' }));
  await signIn(visit, site.user);
  assert.deepEqual(await page.$$eval('.scopes li', (items) => items.map((item) => item.textContent)), ['know who you are', 'see your name']);
  await visit.press('button[value=approve]');
  assert.ok(atApplication(visit));
  assert.ok((await site.redeem('notes')).access_token);
  await page.goto(site.authorize('notes', { scope: 'openid profile' }));
  assert.ok(atApplication(visit), 'asked again');
  await page.goto(site.authorize('notes', { scope: 'openid profile email' }));
  assert.match(await visit.text('h1'), /Allow access/);
  await visit.press('text=Use another account');
  assert.equal(await page.locator('#password').count(), 1);
  assert.deepEqual(visit.faults, []);
  await visit.close();
});

test("the language: the browser's, the application's, the person's own choice, and it stays", async () => {
  const turk = await open({ locale: 'tr-TR' });
  await turk.page.goto(site.authorize('notes'));
  assert.equal(await language(turk), 'tr');
  await turk.page.goto(site.authorize('notes', { ui_locales: 'fr-CA ko', prompt: 'consent' }));
  assert.equal(await language(turk), 'ko', 'ui_locales comes before Accept-Language');
  await turk.press('text=English');
  assert.equal(await language(turk), 'en');
  await signIn(turk, { ...site.user, password: 'wrong' });
  assert.equal(await language(turk), 'en', 'a wrong password loses it');
  await signIn(turk, site.user);
  assert.equal(await language(turk), 'en', 'consent loses it');
  await turk.press('button[value=deny]');
  assert.equal(site.application.answers.at(-1).error, 'access_denied');
  await turk.close();

  const korean = await open({ locale: 'fr-FR' });
  await korean.page.goto(site.url);
  assert.equal(await language(korean), 'en', 'a language that is not here');
  await korean.press('text=한국어');
  await signIn(korean, site.user);
  assert.equal(await language(korean), 'ko');
  assert.equal(await korean.text('.sessions [type=submit]'), '로그아웃');
  await korean.press('.sessions button');
  assert.equal(await korean.text('h1'), '로그아웃됨');
  await korean.press('main a');
  assert.equal(await language(korean), 'ko');
  assert.deepEqual([...turk.faults, ...korean.faults], []);
  await korean.close();
});

test('at 200 % nothing is cut off, and with forced colours nothing disappears', async () => {
  const visit = await open({ viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 });
  const { page } = visit;
  await page.goto(site.authorize('notes'));
  assert.deepEqual(await audit(page), []);
  await visit.screenshot('pages/sign-in-200-percent');
  await page.emulateMedia({ forcedColors: 'active' });
  for (const selector of ['#login', '#password', 'main button'])
    assert.ok(await page.$eval(selector, (element) => parseFloat(getComputedStyle(element).borderTopWidth) >= 1), selector);
  await visit.screenshot('pages/sign-in-forced-colours');
  await visit.close();
});

test('nothing moves for those who ask for that, and nothing takes long for others', async () => {
  const longest = (page) => page.$$eval('*', (all) => Math.max(...all.map((element) => {
    const { transitionDuration, animationName } = getComputedStyle(element);
    return animationName === 'none' ? Math.max(...transitionDuration.split(',').map(parseFloat)) : Infinity;
  })));
  for (const [reducedMotion, most] of [['reduce', 0], ['no-preference', 0.2]]) {
    const visit = await open({ reducedMotion });
    await visit.page.goto(site.authorize('notes'));
    assert.ok((await longest(visit.page)) <= most, reducedMotion);
    await visit.close();
  }
});
