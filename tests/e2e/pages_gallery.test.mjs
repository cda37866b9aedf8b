// Every page in every language, light and dark, on a phone and on a desk: audited (lib/page_audit.mjs) and kept as
// a picture in build/test-artifacts/pages/LANGUAGE/ (English in all four looks, the others in two of them).
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { openBrowser, Visit } from './lib/chromium.mjs';
import { audit } from './lib/page_audit.mjs';
import { languages, signIn, Site } from './lib/pages_site.mjs';

const known = 'https://notes.example.org';
const clients = {
  notes: ['--name', 'Notes', '--set', `client_uri=${known}`, '--set', `policy_uri=${known}/privacy`, '--set', `tos_uri=${known}/terms`,
    ...['openid', 'profile', 'email', 'groups', 'offline_access', 'mail'].flatMap((scope) => ['--scope', scope])],
  tv: ['--name', 'Television', '--grant', 'urn:ietf:params:oauth:grant-type:device_code', '--scope', 'openid', '--scope', 'profile'],
};
let site, crowded, browser;
before(async () => {
  browser = await openBrowser();
  site = await Site.open({ clients, settings: { MUHUR_SIGN_IN_FREE_GUESSES_PER_NETWORK: '1000' } });
  // Nobody here can verify a password: what a server does whose workers are all away or full.
  crowded = await Site.open({ clients, prepare: ({ directory, settings }) => {
    settings.MUHUR_PASSWORDS_WORKERS = 'http://127.0.0.1:1';
    settings.MUHUR_PASSWORDS_LOCAL_FALLBACK = 'false';
    settings.MUHUR_PASSWORDS_WORKER_SECRET = `${directory}/worker.secret`;
    writeFileSync(settings.MUHUR_PASSWORDS_WORKER_SECRET, 'a'.repeat(64) + '\n', { mode: 0o600 });
  } });
});
after(async () => {
  await browser?.close();
  await site?.close();
  await crowded?.close();
});

const looks = [];
for (const colorScheme of ['light', 'dark']) for (const width of [1280, 320]) looks.push({ colorScheme, width });
const approve = 'button[value=approve]', deny = 'button[value=deny]';

// A page as it is now, in all looks.
async function look(visit, language, name, { status = 200 } = {}) {
  const answer = visit.responses.findLast((response) => response.request().isNavigationRequest());
  assert.equal(answer.status(), status, name);
  assert.equal(answer.headers()['content-language'], language, name);
  assert.equal(answer.headers()['cache-control'], 'no-store', name);
  assert.doesNotMatch(await answer.text(), / (style|on[a-z]+)=/, name);
  for (const { colorScheme, width } of looks) {
    await visit.page.emulateMedia({ colorScheme });
    await visit.page.setViewportSize({ width, height: width === 320 ? 640 : 800 });
    for (const fault of await audit(visit.page, { language }))
      visit.faults.push(`${name}, ${colorScheme}, ${width} px: ${fault}`);
    if (language === 'en' || (colorScheme === 'dark') === (width === 1280))
      await visit.screenshot(`pages/${language}/${name}-${colorScheme}-${width}`);
  }
}

for (const [language, texts] of Object.entries(languages)) {
  const open = (where = site) => Visit.open(browser, { locale: language, origins: where.origins });
  const stranger = { login: `nobody-${language}@example.org`, password: 'wrong' };

  test(`${language}: sign-in, with everything that can be wrong with it`, async () => {
    const visit = await open();
    await visit.page.goto(site.authorize('notes'));
    await look(visit, language, 'sign-in');
    await signIn(visit, stranger);
    await look(visit, language, 'sign-in-refused');
    assert.equal(await visit.text('[role=alert]'), texts['sign_in.refused']);
    for (let i = 0; i < 8 && !visit.responses.some((r) => r.status() === 429); ++i) await signIn(visit, stranger);
    await look(visit, language, 'sign-in-wait', { status: 429 });
    assert.deepEqual(visit.faults, []);
    await visit.close();
    const late = await open(crowded);
    await late.page.goto(crowded.authorize('notes'));
    await signIn(late, crowded.user);
    await look(late, language, 'sign-in-busy', { status: 503 });
    assert.deepEqual(late.faults, []);
    await late.close();
  });

  test(`${language}: consent, the sessions, signing out`, async () => {
    const visit = await open();
    const { page } = visit;
    await page.goto(site.authorize('notes', { scope: 'openid profile email groups offline_access mail' }));
    await signIn(visit, site.user);
    await look(visit, language, 'consent');
    await visit.press(deny);
    assert.equal(site.application.answers.at(-1).error, 'access_denied');
    const elsewhere = await open();
    await elsewhere.page.goto(site.url);
    await signIn(elsewhere, site.user);
    await elsewhere.close();
    await page.goto(site.url + '/account/sessions');
    await look(visit, language, 'sessions');
    await visit.press('.sessions + form button');
    await look(visit, language, 'sessions-ended');
    await page.goto(`${site.url}/oauth2/logout?client_id=notes`);
    await look(visit, language, 'sign-out');
    await visit.press(deny);
    await look(visit, language, 'sign-out-stayed');
    await page.goto(`${site.url}/oauth2/logout`);
    await visit.press(approve);
    await look(visit, language, 'signed-out');
    assert.deepEqual(visit.faults, []);
    await visit.close();
  });

  test(`${language}: a device`, async () => {
    const visit = await open();
    const { page } = visit;
    const ask = () => site.post('/oauth2/device_authorization', { client_id: 'tv', scope: 'openid profile' });
    const first = await ask();
    await page.goto(first.verification_uri);
    await signIn(visit, site.user);
    await look(visit, language, 'device-code');
    await page.fill('#user_code', 'WRONG');
    await visit.press('main form button');
    await look(visit, language, 'device-unknown');
    await page.fill('#user_code', first.user_code.toLowerCase());
    await visit.press('main form button');
    await look(visit, language, 'device-confirm');
    await visit.press(approve);
    await look(visit, language, 'device-approved');
    const second = await ask();
    await page.goto(second.verification_uri_complete);
    await visit.press('main form button');
    await visit.press(deny);
    await look(visit, language, 'device-denied');
    assert.deepEqual(visit.faults, []);
    await visit.close();
  });

  test(`${language}: errors`, async () => {
    const visit = await open();
    const { page } = visit;
    await page.goto(site.authorize('notes', { redirect_uri: 'https://evil.example/callback' }));
    await look(visit, language, 'error-redirect-uri', { status: 400 });
    await page.goto(site.authorize('nobody-knows'));
    await look(visit, language, 'error-client', { status: 400 });
    await page.goto(site.url + '/nowhere');
    await look(visit, language, 'error-not-found', { status: 404 });
    await page.goto(site.url + '/oauth2/consent');
    await look(visit, language, 'error-method', { status: 405 });
    await page.goto(site.url + '/nowhere?' + 'x'.repeat(9000));
    await look(visit, language, 'error-too-large', { status: 414 });
    // Answered twice, as in two tabs.
    await page.goto(site.authorize('notes'));
    await signIn(visit, site.user);
    const { url, form } = await page.evaluate(() => ({
      url: document.forms[0].action, form: Object.fromEntries(new FormData(document.forms[0])) }));
    await visit.context.request.post(url, { form: { ...form, decision: 'deny' }, maxRedirects: 0 });
    await visit.press(approve);
    await look(visit, language, 'error-over', { status: 400 });
    // Cookies were cleared while the form was open: it belongs to nobody any more.
    await visit.context.clearCookies();
    await page.goto(site.authorize('notes'));
    await visit.context.clearCookies();
    await signIn(visit, site.user);
    await look(visit, language, 'error-forbidden', { status: 403 });
    assert.deepEqual(visit.faults, []);
    await visit.close();
  });
}

test('the page between here and the application, where no script runs', async () => {
  for (const language of Object.keys(languages)) {
    const visit = await Visit.open(browser, { locale: language, origins: site.origins, javaScriptEnabled: false });
    await visit.page.goto(site.authorize('notes', { response_mode: 'form_post', prompt: 'consent' }));
    await signIn(visit, site.user);
    await visit.press(approve);
    await look(visit, language, 'form-post');
    await visit.press('main form button');
    assert.equal(site.application.answers.at(-1).method, 'POST');
    assert.deepEqual(visit.faults, []);
    await visit.close();
  }
});
