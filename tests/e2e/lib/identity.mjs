// The sign-in service of the real binary over HTTP, with users, clients, browsers and the flows that most tests
// begin with.
//
//   const id = await IdentityServer.start();            users alice, bob and admin (an administrator)
//   id.issuer                                           'http://127.0.0.1:PORT', the same after restart()
//   const app = id.addClient('app', ['--public']);      { id, secret?, redirect } by `muhur client add`
//   const browser = id.browser();                       new cookies; see browser_form.mjs
//   const back = await id.authorize(browser, app, { scope: 'openid email', prompt: 'consent' });
//   back.parameters.code, back.verifier, back.state     what came back to the client, PKCE and state made here
//   const tokens = await id.exchange(app, back);        the token endpoint's answer: { status, body, headers }
//   const refreshed = await id.token(app, { grant_type: 'refresh_token', refresh_token });
//   await id.post('/oauth2/introspect', app, { token });    any direct request with the client's credentials
//   await id.remove();                                  in after(): stops the server, removes its data
//
// Nothing here asserts; tests look at what came back. Everything rejects or throws when the server does not answer.
import { randomBytes, createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { Browser } from './browser_form.mjs';
import { Installation } from './server.mjs';

export const passwords = { alice: 'correct horse battery', bob: 'staple of the second kind', admin: 'keeper of the keys' };
export const addressOf = (name) => (name.includes('@') ? name : `${name}@example.org`);
export const redirectUri = 'https://app.example.org/callback';

export function pkce() {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

// The claims of a JWT, unverified: for what another test has verified.
export const claimsOf = (jwt) => JSON.parse(Buffer.from(jwt.split('.')[1], 'base64url'));

const basic = ({ id, secret }) => 'Basic ' + Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64');

export class IdentityServer {
  // settings: MUHUR_… of the environment, beside those of lib/server.mjs.
  static async start({ settings = {} } = {}) {
    const server = new IdentityServer();
    const { admin, ...users } = passwords;
    server.installation = new Installation(users, { settings: { MUHUR_HTTP_LISTEN: '127.0.0.1:0', ...settings } });
    server.installation.must(['user', 'add', addressOf('admin'), '--name', 'Ada Admin', '--admin'], { input: admin + '\n' });
    try {
      await server.begin();
    } catch (error) {
      await server.remove();
      throw error;
    }
    return server;
  }
  async begin() {
    this.endpoints = await this.installation.start();
    const { host, port } = this.endpoints.http;
    this.issuer ??= `http://${host}:${port}`;
    this.installation.settings.MUHUR_HTTP_LISTEN = `${host}:${port}`;
    // A first start makes its RSA key beside everything else; libraries keep the first list of keys they get.
    for (let i = 0; i < 100 && (await this.json('/oauth2/jwks')).body.keys.length < 3; ++i) await setTimeout(20);
  }
  // The same server, data and address again. settings: changed from now on.
  async restart({ signal = 'SIGTERM', settings = {} } = {}) {
    await this.installation.stop(signal);
    Object.assign(this.installation.settings, settings);
    await this.begin();
  }
  remove() {
    return this.installation.remove();
  }
  // A command of the same binary on the same data: { code, stdout, stderr }.
  run(args, options) {
    return this.installation.run(args, options);
  }
  // args: further ones of `muhur client add`. Without a redirect URI it has `redirectUri`; scopes are openid,
  // profile, email, groups and offline_access unless some are named.
  addClient(id, args = []) {
    const all = ['client', 'add', '--json', '--id', id, ...args];
    const redirect = args.includes('--redirect-uri') ? args[args.indexOf('--redirect-uri') + 1] : redirectUri;
    const template = args.includes('--template');
    if (!template && !args.includes('--redirect-uri')) all.push('--redirect-uri', redirect);
    if (!template && !args.includes('--scope'))
      for (const scope of ['openid', 'profile', 'email', 'groups', 'offline_access']) all.push('--scope', scope);
    if (!template && !args.includes('--grant')) all.push('--grant', 'authorization_code', '--grant', 'refresh_token');
    const added = JSON.parse(this.installation.must(all).stdout);
    return { id, secret: added.secret, redirect, client: added.client, instructions: added.instructions };
  }
  browser(options) {
    return new Browser(this.issuer, options);
  }
  // The address of an authorization request. Parameters that are undefined are left out.
  authorizeUrl(client, parameters = {}) {
    const { verifier, challenge } = pkce();
    const all = {
      response_type: 'code', client_id: client.id, redirect_uri: client.redirect, scope: 'openid',
      state: randomBytes(8).toString('hex'), code_challenge: challenge, code_challenge_method: 'S256', ...parameters,
    };
    const url = new URL('/oauth2/authorize', this.issuer);
    for (const [name, value] of Object.entries(all))
      for (const one of [value].flat()) if (one !== undefined) url.searchParams.append(name, one);
    return { url, verifier, state: all.state };
  }
  // Fills in the sign-in page.
  signIn(browser, page, user = 'alice', password = passwords[user]) {
    return browser.submit(page, { login: addressOf(user), password }, { form: page.form('login', 'password') });
  }
  // Goes on from a page through sign-in and consent. Ends at what leads back to the client, or at a page that
  // asks for neither: { page, parameters, redirect, by: 'redirect' | 'form_post' | undefined }.
  async complete(browser, page, { user = 'alice', password, approve = true } = {}) {
    for (let step = 0; step < 4; ++step) {
      if (page.kind === 'sign-in' && page.alert === undefined) page = await this.signIn(browser, page, user, password);
      else if (page.kind === 'consent') page = await browser.submit(page, {}, { button: approve ? 'approve' : 'deny' });
      else break;
    }
    return this.cameBack(page);
  }
  // Reads an answer to the client out of what the browser has.
  cameBack(page) {
    if (page.location) {
      const redirect = new URL(page.location);
      return { page, redirect, by: 'redirect', parameters: Object.fromEntries(redirect.searchParams) };
    }
    if (page.kind === 'form-post')
      return { page, redirect: new URL(page.forms[0].action), by: 'form_post', parameters: page.forms[0].fields };
    return { page, parameters: {} };
  }
  // A whole authorization request: what cameBack() gives, with `verifier` and `state`.
  async authorize(browser, client, parameters = {}, how = {}) {
    const { url, verifier, state } = this.authorizeUrl(client, parameters);
    const back = await this.complete(browser, await browser.get(url), how);
    return { ...back, verifier, state };
  }
  // A direct request with the client's credentials. `send`: 'basic' (where there is a secret), 'post' or 'none'.
  async post(path, client, fields = {}, { headers = {}, send = client?.secret ? 'basic' : 'none' } = {}) {
    const body = new URLSearchParams();
    for (const [name, value] of Object.entries(fields))
      for (const one of [value].flat()) if (one !== undefined) body.append(name, one);
    const sent = { ...headers };
    if (send === 'basic') sent.authorization = basic(client);
    if (send === 'post') body.set('client_secret', client.secret);
    if (send !== 'basic' && client && !body.has('client_id')) body.set('client_id', client.id);
    const response = await fetch(new URL(path, this.issuer), { method: 'POST', headers: sent, body, redirect: 'manual' });
    const text = await response.text();
    const json = /json/.test(response.headers.get('content-type') ?? '');
    return { status: response.status, headers: response.headers, text, body: json ? JSON.parse(text) : undefined };
  }
  token(client, fields, options) {
    return this.post('/oauth2/token', client, fields, options);
  }
  // Redeems what authorize() brought.
  exchange(client, back, { fields = {}, ...options } = {}) {
    return this.token(client, {
      grant_type: 'authorization_code', code: back.parameters.code, redirect_uri: client.redirect,
      code_verifier: back.verifier, ...fields,
    }, options);
  }
  // Signs in and redeems in one go: the token answer's body.
  async tokens(client, { user = 'alice', browser = this.browser(), ...parameters } = {}) {
    const back = await this.authorize(browser, client, parameters, { user });
    const { status, body } = await this.exchange(client, back);
    if (status !== 200) throw new Error(`no tokens: ${status} ${JSON.stringify(body)} ${back.page.title}`);
    return body;
  }
  introspect(client, token, options) {
    return this.post('/oauth2/introspect', client, { token }, options);
  }
  async json(path, options) {
    const response = await fetch(new URL(path, this.issuer), options);
    return { status: response.status, headers: response.headers, body: await response.json() };
  }
  userinfo(accessToken, { scheme = 'Bearer', ...options } = {}) {
    return fetch(new URL('/oauth2/userinfo', this.issuer), { ...options, headers: { ...options.headers, authorization: `${scheme} ${accessToken}` } });
  }
}
