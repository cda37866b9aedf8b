// The page of one's sessions: what it says, and that ending one ends it in the other browser.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openBrowser, Visit } from './lib/chromium.mjs';
import { signIn, Site } from './lib/pages_site.mjs';

const agents = {
  firefox: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  edge: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0',
  phone: 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
};
let site, browser;
before(async () => {
  browser = await openBrowser();
  site = await Site.open({ clients: { own: ['--name', 'Own', '--first-party', '--scope', 'openid'] } });
});
after(async () => {
  await browser?.close();
  await site?.close();
});

async function signedIn(agent) {
  const visit = await Visit.open(browser, { locale: 'en-GB', origins: site.origins, userAgent: agents[agent] });
  await visit.page.goto(site.url);
  await signIn(visit, site.user);
  return visit;
}
const list = ({ page }) => page.$$eval('.sessions h2', (items) => items.map((item) => item.textContent));
const isSignedIn = async ({ page }) => {
  await page.goto(site.url + '/account/sessions');
  return (await page.locator('#password').count()) === 0;
};

test('each session is listed by its program; ending one, then all others, leaves this one', async () => {
  const [firefox, edge, phone] = await Promise.all(['firefox', 'edge', 'phone'].map(signedIn));
  await edge.page.reload();
  assert.deepEqual((await list(edge)).sort(), ['Edge on Windows', 'Firefox on Linux', 'Safari on iPhone']);
  assert.equal(await edge.text('li:has(.tag) h2'), 'Edge on Windows');
  await edge.press('li:has-text("Firefox") button');
  assert.match(await edge.text('[role=status]'), /has been ended/);
  assert.deepEqual((await list(edge)).sort(), ['Edge on Windows', 'Safari on iPhone']);
  assert.equal(await isSignedIn(firefox), false);
  assert.equal(await isSignedIn(phone), true);
  await edge.press('text=End all other sessions');
  assert.deepEqual(await list(edge), ['Edge on Windows']);
  assert.equal(await isSignedIn(phone), false);
  assert.equal(await isSignedIn(edge), true);
  await edge.press('text=Sign out');
  assert.match(await edge.text('h1'), /Signed out/);
  assert.equal(await isSignedIn(edge), false);
  for (const visit of [firefox, edge, phone]) {
    assert.deepEqual(visit.faults, []);
    await visit.close();
  }
});

test('an application without a proof has its sign-out confirmed by a person; a stranger cannot send them elsewhere', async () => {
  const visit = await signedIn('firefox');
  const { page } = visit;
  const bye = site.application.origin + '/bye';
  const url = (uri) => `${site.url}/oauth2/logout?${new URLSearchParams({ client_id: 'own', post_logout_redirect_uri: uri })}`;
  await page.goto(url(bye));
  assert.match(await visit.text('.lead'), /Own would like to sign you out/);
  await visit.press('button[value=deny]');
  assert.match(await visit.text('h1'), /Still signed in/);
  await page.goto(url('https://evil.example/'));
  await visit.press('button[value=approve]');
  assert.ok(page.url().startsWith(site.url), page.url());
  await page.goto(site.url);
  await signIn(visit, site.user);
  await page.goto(url(bye));
  await visit.press('button[value=approve]');
  assert.equal(page.url(), bye);
  assert.equal(await isSignedIn(visit), false);
  assert.deepEqual(visit.faults, []);
  await visit.close();
});
