// Pages are light and stay out of caches; what they load beside themselves is fetched once. And they wear the
// operator's name, colour and logo.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openBrowser, Visit } from './lib/chromium.mjs';
import { audit } from './lib/page_audit.mjs';
import { signIn, Site } from './lib/pages_site.mjs';

const most = 30 * 1024;  // bytes of a page with all that it loads, uncompressed
const logo = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 40"><rect width="120" height="40" rx="8" fill="#0b6e4f"/>
<circle cx="20" cy="20" r="10" fill="#fff"/><path d="M44 13h64v4H44zM44 23h40v4H44z" fill="#fff"/></svg>`;
const clients = { notes: ['--name', 'Notes', '--scope', 'openid', '--scope', 'email'] };
const branding = { MUHUR_BRANDING_NAME: 'Şişli & Söhne', MUHUR_BRANDING_LOGO: 'logo.svg', MUHUR_BRANDING_HELP_URL: 'https://help.example.org/' };
let plain, branded, browser;
before(async () => {
  browser = await openBrowser();
  plain = await Site.open({ clients });
  // A yellow that nobody could read on white.
  branded = await Site.open({ clients, settings: { ...branding, MUHUR_BRANDING_COLOUR: '#ffd400' }, prepare: ({ data }) => {
    mkdirSync(data, { recursive: true });
    writeFileSync(join(data, 'logo.svg'), logo);
  } });
});
after(async () => {
  await browser?.close();
  await plain?.close();
  await branded?.close();
});

test('no page with all that it loads weighs more than 30 KiB, and nothing is kept that is not for ever', async () => {
  const device = await plain.post('/oauth2/device_authorization', { client_id: 'notes' });
  const visit = await Visit.open(browser, { origins: plain.origins });
  const { page } = visit;
  const seen = new Map();
  const weigh = async (name) => {
    const page_ = visit.responses.findLast((response) => response.request().isNavigationRequest());
    assert.equal(page_.headers()['cache-control'], 'no-store', name);
    const html = (await page_.body()).length;
    const urls = await page.$$eval('link[href],img[src]', (all) => all.map((element) => element.href ?? element.src));
    let all = html;
    for (const url of new Set(urls)) {
      if (!seen.has(url)) seen.set(url, await fetch(url));
      all += seen.get(url).size ??= (await seen.get(url).arrayBuffer()).byteLength;
    }
    assert.ok(all < most, `${name}: ${all} bytes`);
    assert.ok(html < 8 * 1024, `${name}: ${html} bytes of HTML`);
  };
  assert.ok(!device.error || device.error === 'unauthorized_client');
  await page.goto(plain.authorize('notes'));
  await weigh('sign-in');
  await signIn(visit, plain.user);
  await weigh('consent');
  await page.goto(plain.url + '/account/sessions');
  await weigh('sessions');
  await page.goto(plain.url + '/device');
  await weigh('device');
  await page.goto(plain.url + '/nowhere');
  await weigh('not found');
  for (const [url, response] of seen) {
    assert.equal(response.headers.get('cache-control'), 'public, max-age=31536000, immutable', url);
    const [, , hash] = new URL(url).pathname.split('/');
    const body = Buffer.from(await (await fetch(url)).arrayBuffer());
    assert.equal(hash, createHash('sha256').update(body).digest().subarray(0, 12).toString('base64url'), `${url} is not named by its content`);
    const again = await fetch(url, { headers: { 'If-None-Match': response.headers.get('etag') } });
    assert.equal(again.status, 304);
  }
  assert.equal(seen.size, 2, 'style sheet and seal');
  await visit.close();
});

test('one visit fetches the style sheet once', async () => {
  const visit = await Visit.open(browser, { origins: plain.origins });
  for (const path of ['/account/sessions', '/device', '/nowhere']) await visit.page.goto(plain.url + path);
  const styles = visit.responses.filter((response) => response.url().endsWith('.css'));
  const fetched = [];
  for (const response of styles) if ((await response.request().sizes()).responseBodySize > 0) fetched.push(response.url());
  assert.equal(fetched.length, 1, fetched.join());
  await visit.close();
});

test("a page wears the operator's name, logo, colour and help, readable in both schemes", async () => {
  for (const colorScheme of ['light', 'dark'])
    for (const width of [1280, 320]) {
      const visit = await Visit.open(browser, { locale: 'en-GB', origins: branded.origins, colorScheme, viewport: { width, height: 640 } });
      const { page } = visit;
      const look = async (name) => {
        assert.deepEqual(await audit(page), [], `${name}, ${colorScheme}, ${width}`);
        await visit.screenshot(`pages/branded/${name}-${colorScheme}-${width}`);
        assert.equal(await visit.text('.site'), branding.MUHUR_BRANDING_NAME);
        assert.ok((await page.title()).endsWith(' · ' + branding.MUHUR_BRANDING_NAME));
        assert.doesNotMatch(await visit.text('body'), /muhur/i);
      };
      await page.goto(branded.authorize('notes'));
      await look('sign-in');
      assert.deepEqual(await page.$eval('.banner img', ({ naturalWidth, naturalHeight, height }) => [naturalWidth / naturalHeight, height]), [3, 40]);
      assert.equal(await page.getAttribute('footer p a', 'href'), branding.MUHUR_BRANDING_HELP_URL);
      assert.equal(await page.$eval('button.primary', (button) => getComputedStyle(button).backgroundColor), 'rgb(255, 212, 0)');
      await signIn(visit, branded.user);
      await look('consent');
      assert.deepEqual(visit.faults, []);
      await visit.close();
    }
});

test('a logo that is a script runs nothing', async () => {
  const visit = await Visit.open(browser, { origins: branded.origins });
  await visit.page.goto(branded.url);
  const url = await visit.page.$eval('.banner img', ({ src }) => src);
  const response = await fetch(url);
  assert.equal(response.headers.get('content-type'), 'image/svg+xml');
  assert.match(response.headers.get('content-security-policy'), /default-src 'none'.*sandbox/);
  assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
  await visit.close();
});
