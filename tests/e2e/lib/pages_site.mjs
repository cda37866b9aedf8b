// A server with its sign-in pages, and an application that people come from and go back to. The application lives
// at another site (localhost, where the pages are at 127.0.0.1), as applications do.
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { Installation, root } from './server.mjs';

// The languages that there are files for, with their texts by key: { en: { 'sign_in.title': 'Sign in', … }, … }
const folder = join(root, 'src/web/locales');
export const languages = Object.fromEntries(readdirSync(folder).map((file) => {
  const lines = readFileSync(join(folder, file), 'utf8').split('\n').filter((line) => !line.startsWith('#') && line.includes('='));
  return [file.replace('.txt', ''), Object.fromEntries(lines.map((line) => line.split(/ *= *(.*)/, 2)))];
}));

// Notes what it is sent, and says so on a page that asks for nothing else.
class Application {
  answers = [];
  static async open() {
    const application = new Application();
    application.server = createServer(async (request, response) => {
      let body = '';
      for await (const piece of request) body += piece;
      const { pathname, searchParams } = new URL(request.url, 'http://localhost');
      const parameters = request.method === 'POST' ? new URLSearchParams(body) : searchParams;
      application.answers.push({ path: pathname, method: request.method, ...Object.fromEntries(parameters) });
      response.setHeader('Content-Type', 'text/html; charset=utf-8');
      response.end(`<!doctype html><html lang=en><link rel=icon href="data:,"><title>Application</title>${pathname}`);
    });
    await new Promise((done) => application.server.listen(0, 'localhost', done));
    application.origin = `http://localhost:${application.server.address().port}`;
    application.callback = application.origin + '/callback';
    return application;
  }
  close() {
    this.server.closeAllConnections();
    this.server.close();
  }
}

export class Site {
  // clients: arguments of `muhur client add` beside --id and --redirect-uri, by id
  static async open({ settings = {}, clients = {}, prepare = () => {} } = {}) {
    const site = new Site();
    site.application = await Application.open();
    site.installation = new Installation({ ada: 'correct horse battery' },
      { settings: { MUHUR_HTTP_LISTEN: '127.0.0.1:0', ...settings } });
    prepare(site.installation);
    const { http } = await site.installation.start();
    site.url = `http://${http.host}:${http.port}`;
    const { callback, origin } = site.application;
    for (const [id, more] of Object.entries(clients))
      site.installation.must(['client', 'add', '--id', id, '--redirect-uri', callback,
        '--post-logout-uri', origin + '/bye', '--public', ...more]);
    site.user = { login: 'ada@example.org', password: 'correct horse battery' };
    site.origins = [site.url, origin];
    return site;
  }
  // An authorization request as the application makes it; its verifier is in `verifiers` by its state.
  verifiers = new Map();
  authorize(client, parameters = {}) {
    const verifier = randomBytes(32).toString('base64url');
    const state = randomBytes(8).toString('hex');
    this.verifiers.set(state, verifier);
    const query = new URLSearchParams({
      response_type: 'code', client_id: client, redirect_uri: this.application.callback, scope: 'openid', state,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'), code_challenge_method: 'S256',
      ...parameters,
    });
    return `${this.url}/oauth2/authorize?${query}`;
  }
  async post(path, form) {
    const response = await fetch(this.url + path, { method: 'POST', body: new URLSearchParams(form) });
    return response.json();
  }
  // What the application makes of the latest answer.
  redeem(client) {
    const { code, state } = this.application.answers.at(-1);
    return this.post('/oauth2/token', { grant_type: 'authorization_code', code, client_id: client,
      redirect_uri: this.application.callback, code_verifier: this.verifiers.get(state) });
  }
  async close() {
    this.application.close();
    await this.installation.remove();
  }
}

export async function signIn(visit, { login, password }) {
  await visit.page.fill('#login', login);
  await visit.page.fill('#password', password);
  await visit.leave(() => visit.page.press('#password', 'Enter'));
}
