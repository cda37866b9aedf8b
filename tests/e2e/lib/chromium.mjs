// Debian's Chromium, headless, watched: what a page logs, what its policy refuses and whom it asks are faults of
// the page, and `visit.faults` lists them.
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { chromium } from 'playwright-core';
import { root } from './server.mjs';

const executable = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
  .find((path) => path && existsSync(path));

// What a person would look at after a run: git-ignored, overwritten by the next one.
const artifacts = process.env.ARTIFACTS ?? join(root, 'build/test-artifacts');

export async function openBrowser() {
  if (!executable) throw new Error('no Chromium: install the package chromium, or name one in CHROMIUM');
  const args = ['--disable-dev-shm-usage', '--disable-gpu', '--font-render-hinting=none'];
  if (process.getuid?.() === 0) args.push('--no-sandbox');
  return chromium.launch({ executablePath: executable, args });
}

// One person at one browser: cookies of its own. options: Playwright's (locale, colorScheme, javaScriptEnabled …)
// and `origins`, the only ones that may be asked for anything.
export class Visit {
  static async open(browser, { origins, ...options }) {
    const visit = new Visit();
    // Nothing moves, so that what is measured is what stays.
    visit.context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce', ...options });
    visit.context.setDefaultTimeout(30_000);
    visit.faults = [];
    visit.responses = [];
    visit.page = await visit.context.newPage();
    const { page, faults } = visit;
    page.on('console', (message) => {
      // Chromium logs each status above 399 too; those are what some pages are about.
      const status = /^Failed to load resource: the server responded with a status of/.test(message.text());
      if (['error', 'warning'].includes(message.type()) && !status) faults.push(`console: ${message.text()}`);
    });
    page.on('pageerror', (error) => faults.push(`script: ${error.message}`));
    page.on('request', (request) => {
      const { origin } = new URL(request.url());
      if (!origins.includes(origin)) faults.push(`a request to ${request.url()}`);
    });
    page.on('response', (response) => {
      visit.responses.push(response);
      if (response.status() >= 400 && !response.request().isNavigationRequest())
        faults.push(`${response.status()} for ${response.url()}`);
    });
    return visit;
  }
  // Submits what has the focus or the given button, and waits for the next page.
  async press(button) {
    await this.leave(() => this.page.click(button));
  }
  async leave(act) {
    await Promise.all([this.page.waitForEvent('load'), act()]);
  }
  text(selector) {
    return this.page.textContent(selector);
  }
  async screenshot(name) {
    const path = join(artifacts, name + '.png');
    mkdirSync(dirname(path), { recursive: true });
    await this.page.screenshot({ path, fullPage: true });
  }
  close() {
    return this.context.close();
  }
}
