// Bug class 23 of identity providers: whatever is sent to any endpoint, in any parameter and any shape, no
// page runs it, nothing leads away, no header is planted, and nothing fails on our side.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { hostile, mark, markup, raw, requestText } from './lib/attack.mjs';
import { assertHarmless } from './lib/attack_pages.mjs';
import { IdentityServer, passwords } from './lib/identity.mjs';
import { Page } from './lib/browser_form.mjs';

let id, app, named, server, browser;
const allowed = ['https://app.example.org'];

before(async () => {
  id = await IdentityServer.start({ settings: { MUHUR_SIGN_IN_DYNAMIC_REGISTRATION: 'true', MUHUR_SIGN_IN_FREE_GUESSES: '1000' } });
  app = id.addClient('app', ['--public', '--first-party', '--post-logout-uri', 'https://app.example.org/bye']);
  named = id.addClient('named', ['--public', '--name', `"><script>${mark}()</script>'<b>&lt;`]);
  server = id.addClient('server', ['--first-party', '--may-introspect', '--grant', 'client_credentials', '--grant', 'authorization_code', '--grant', 'refresh_token',
    '--grant', 'urn:ietf:params:oauth:grant-type:device_code']);
  browser = id.browser();
  await id.authorize(browser, app);
});
after(() => id?.remove());

// Without following anything, and judged.
async function ask(method, path, { fields, query, body, headers = {}, cookies = true } = {}) {
  const url = new URL(path, id.issuer);
  if (query) url.search = query instanceof URLSearchParams ? query : new URLSearchParams(query);
  const cookie = cookies ? { cookie: [...browser.cookies].map((pair) => pair.join('=')).join('; ') } : {};
  const response = await fetch(url, { method, redirect: 'manual', body: fields ? new URLSearchParams(fields) : body, headers: { ...cookie, ...headers } });
  const answer = { status: response.status, headers: response.headers, text: await response.text() };
  assertHarmless(answer, { issuer: id.issuer, allowed, asked: { method, path: url.pathname, query: url.search, fields, headers } });
  return answer;
}

// All of them, a few at a time.
async function each(list, one) {
  const rest = [...list];
  await Promise.all(Array.from({ length: 8 }, async () => { while (rest.length) await one(rest.pop()); }));
}

const request = () => Object.fromEntries(id.authorizeUrl(app).url.searchParams);
const authorizeNames = ['client_id', 'redirect_uri', 'response_type', 'response_mode', 'scope', 'state', 'nonce', 'code_challenge', 'code_challenge_method', 'prompt', 'max_age', 'login_hint',
  'ui_locales', 'claims', 'claims_locales', 'id_token_hint', 'acr_values', 'display', 'request', 'request_uri', 'registration', 'resource', 'dpop_jkt', 'x'];

test('bug 23: every parameter of the authorization request, by GET and POST, with and without a session', async () => {
  const tries = authorizeNames.flatMap((name) => hostile.map((value) => [name, value]));
  await each(tries, async ([name, value]) => {
    const fields = { ...request(), [name]: value };
    for (const more of [{}, { response_mode: 'form_post' }, { prompt: 'login' }]) {
      if (name in more) continue;
      await ask('GET', '/oauth2/authorize', { query: { ...fields, ...more } });
      await ask('GET', '/oauth2/authorize', { query: { ...fields, ...more }, cookies: false });
    }
    await ask('POST', '/oauth2/authorize', { fields });
    await ask('POST', '/oauth2/authorize', { fields, cookies: false, headers: { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' } });
  });
});

test('bug 23: a hostile state in a form_post answer is a value and nothing else', async () => {
  for (const state of markup) {
    const page = await browser.get(id.authorizeUrl(app, { state, response_mode: 'form_post' }).url);
    assertHarmless(page, { issuer: id.issuer, allowed, asked: { state } });
    assert.equal(page.kind, 'form-post');
    assert.equal(page.forms.length, 1);
    assert.equal(page.forms[0].fields.state, state);
    assert.equal(page.forms[0].action, app.redirect);
  }
});

test('bug 23: every field of every form', async () => {
  const forms = [
    ['/oauth2/login', await browser.get(id.authorizeUrl(app, { prompt: 'login' }).url), { login: 'nobody@example.org', password: 'x' }],
    ['/oauth2/consent', await browser.get(id.authorizeUrl(named, { prompt: 'consent' }).url), { decision: '' }],
    ['/device', await browser.get('/device'), { user_code: 'BCDF-GHJK' }],
    ['/device', await browser.get('/device?user_code=BCDF-GHJK'), { user_code: 'BCDF-GHJK', decision: 'approve' }],
    ['/oauth2/logout', await browser.get('/oauth2/logout?client_id=named'), { decision: 'deny' }],
    ['/account/sessions', await browser.get('/account/sessions'), { sid: 'none' }],
  ];
  for (const [path, page, more] of forms) {
    assertHarmless(page, { issuer: id.issuer, allowed, asked: { path } });
    const fields = { ...page.forms[0].fields, ...more };
    const tries = Object.keys({ ...fields, x: '', to: '', ended: '' }).flatMap((name) => hostile.map((value) => [name, value]));
    await each(tries, ([name, value]) => ask('POST', path, { fields: { ...fields, [name]: value }, headers: { origin: id.issuer } }));
  }
  for (const value of hostile) {
    await ask('GET', '/device', { query: { user_code: value, ui_locales: value } });
    await ask('GET', '/device', { query: { user_code: value }, cookies: false });
    await ask('GET', '/account/sessions', { query: { ended: value, ui_locales: value, to: value } });
    await ask('GET', '/account/sessions', { query: { to: value }, cookies: false });
    await ask('POST', `/oauth2/login?${new URLSearchParams({ to: value, user_code: value })}`, { fields: {}, headers: { origin: id.issuer } });
    for (const name of ['id_token_hint', 'post_logout_redirect_uri', 'client_id', 'state', 'logout_hint', 'ui_locales', 'pending', 'csrf']) {
      await ask('GET', '/oauth2/logout', { query: { client_id: 'app', post_logout_redirect_uri: 'https://app.example.org/bye', [name]: value } });
      await ask('POST', '/oauth2/logout', { fields: { [name]: value } });
    }
  }
});

test('bug 23: every parameter of what clients ask', async () => {
  const credentials = { client_id: 'server', client_secret: server.secret };
  const basic = { authorization: 'Basic ' + Buffer.from(`server:${server.secret}`).toString('base64') };
  const fields = {
    '/oauth2/token': { grant_type: 'authorization_code', code: 'c', redirect_uri: app.redirect, code_verifier: 'v'.repeat(43), refresh_token: 'r', scope: 'profile', device_code: 'd', resource: 'x',
      username: 'u', password: 'p', client_assertion: 'a', client_assertion_type: 't' },
    '/oauth2/introspect': { token: 't', token_type_hint: 'access_token' }, '/oauth2/revoke': { token: 't', token_type_hint: 'x' }, '/oauth2/par': request(),
    '/oauth2/device_authorization': { scope: 'openid' }, '/oauth2/userinfo': { access_token: 't' },
  };
  const tries = Object.entries(fields).flatMap(([path, all]) => [...Object.keys(all), ...Object.keys(credentials)].flatMap((name) => hostile.map((value) => [path, name, value])));
  await each(tries, async ([path, name, value]) => {
    for (const grant_type of path.endsWith('token') ? ['authorization_code', 'refresh_token', 'client_credentials', 'urn:ietf:params:oauth:grant-type:device_code'] : [undefined]) {
      const body = { ...fields[path], ...(grant_type ? { grant_type } : {}), [name]: value };
      const answer = await ask('POST', path, { fields: body, headers: basic });
      assert.ok(!answer.headers.get('content-type')?.includes('html'), path);
    }
    await ask('POST', path, { fields: { ...fields[path], ...credentials, [name]: value } });
  });
  for (const value of hostile) {
    const header = Buffer.from(value).toString('latin1').replace(/[\r\n\0]/g, '').trim();
    for (const path of ['/oauth2/token', '/oauth2/introspect', '/oauth2/userinfo', '/oauth2/register', '/oauth2/register/x'])
      for (const authorization of [header, `Basic ${header}`, `Basic ${Buffer.from(value).toString('base64')}`, `Bearer ${header}`, `DPoP ${header}`])
        await ask(path.endsWith('userinfo') || path.endsWith('/x') ? 'GET' : 'POST', path, { headers: { authorization, dpop: header, ...(path.endsWith('register') ? { 'content-type': 'application/json' } : {}) }, ...(path.endsWith('userinfo') || path.endsWith('/x') ? {} : path.endsWith('register') ? { body: '{}' } : { fields: { token: 't' } }) });
  }
});

test('bug 23: every member of a registration', async () => {
  const token = JSON.parse(id.installation.must(['client', 'initial-token', '--uses', '10000', '--json']).stdout).token;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const good = { redirect_uris: ['https://app.example.org/cb'], client_name: 'n' };
  const names = ['redirect_uris', 'client_name', 'client_uri', 'logo_uri', 'policy_uri', 'tos_uri', 'jwks', 'jwks_uri', 'scope', 'grant_types', 'response_types', 'token_endpoint_auth_method', 'contacts',
    'post_logout_redirect_uris', 'backchannel_logout_uri', 'id_token_signed_response_alg', 'userinfo_signed_response_alg', 'subject_type', 'software_statement', 'client_id', 'x'];
  const odd = [null, 1, -1, 1e308, true, {}, [], [null], [[]], { a: { b: {} } }, 'x'.repeat(3000), ...hostile];
  await each(names.flatMap((name) => odd.map((value) => [name, value])), async ([name, value]) => {
    for (const one of [value, [value]]) {
      const answer = await ask('POST', '/oauth2/register', { body: JSON.stringify({ ...good, [name]: one }), headers });
      assert.ok([201, 400].includes(answer.status), `${answer.status} ${name} ${JSON.stringify(one).slice(0, 80)}`);
    }
  });
  for (const uri of ['javascript:alert(1)', 'data:text/html,x', 'vbscript:x', 'http://app.example.org/', 'https://u@app.example.org/', 'https://app.example.org/#f', 'file:///x', 'javascript.x:alert(1)//'])
    for (const name of ['redirect_uris', 'client_uri', 'policy_uri', 'tos_uri', 'logo_uri', 'post_logout_redirect_uris', 'backchannel_logout_uri']) {
      const list = name.endsWith('uris');
      const answer = await ask('POST', '/oauth2/register', { body: JSON.stringify({ ...good, [name]: list ? [uri] : uri }), headers });
      // RFC 8252: a private-use scheme with a dot is an application's own, in a list of redirect URIs only.
      if (!(list && uri.startsWith('javascript.x'))) assert.equal(answer.status, 400, `${name} ${uri}`);
    }
  for (const body of ['', '[]', '"x"', '{', '{"redirect_uris":["https://a.example/"],"redirect_uris":[]}', '{"a":'.repeat(5000), '\ufeff{}', '{"a":1e999}', 'null'])
    assert.equal((await ask('POST', '/oauth2/register', { body, headers })).status, 400, body.slice(0, 40));
});

test('bug 23: parameters that come twice, as arrays, without name, badly encoded or in other types of body', async () => {
  const encoded = new URLSearchParams(request()).toString();
  const odd = [`${encoded}&${encoded}`, encoded.replace(/=/g, '[]='), encoded.replace(/=/g, '[a]='), '&&&&', '====', '=&=&=', '%', '%zz=%', 'client_id=%ff%fe&redirect_uri=%c0%af', `${encoded}&state=%00`,
    `${encoded}${'&x=1'.repeat(250)}`, encoded.replace(/&/g, ';'), encoded.toUpperCase(), `?${encoded}`, `${encoded}#fragment`, encoded.replace(/%/g, '%25')];
  for (const query of odd) {
    await ask('GET', `/oauth2/authorize?${query.replace('#', '%23')}`);
    await ask('GET', `/oauth2/logout?${query.replace('#', '%23')}`);
    for (const path of ['/oauth2/authorize', '/oauth2/token', '/oauth2/login', '/oauth2/consent', '/oauth2/par', '/oauth2/introspect', '/oauth2/revoke', '/oauth2/logout', '/device', '/account/sessions', '/oauth2/userinfo', '/oauth2/device_authorization'])
      await ask('POST', path, { body: query, headers: { 'content-type': 'application/x-www-form-urlencoded' } });
  }
  for (const type of ['application/json', 'multipart/form-data; boundary=x', 'text/plain', 'application/xml', 'application/x-www-form-urlencoded; charset=utf-16', '', '*/*', 'application/x-www-form-urlencodedx'])
    for (const path of ['/oauth2/authorize', '/oauth2/token', '/oauth2/login', '/oauth2/consent', '/oauth2/par', '/oauth2/introspect', '/oauth2/revoke', '/oauth2/logout', '/device', '/account/sessions', '/oauth2/userinfo', '/oauth2/register'])
      for (const body of [encoded, JSON.stringify(request()), `--x\r\nContent-Disposition: form-data; name="client_id"\r\n\r\napp\r\n--x--\r\n`])
        await ask('POST', path, { body: Buffer.from(body), headers: { 'content-type': type } });
});

test('bug 23: what the request says of itself', async () => {
  for (const value of hostile) {
    const text = Buffer.from(value).toString('latin1').replace(/[\r\n\0]/g, ' ').trim().slice(0, 2000);
    const headers = { 'user-agent': text, 'accept-language': text, referer: text, 'x-forwarded-host': text, 'x-forwarded-proto': text, 'x-forwarded-for': text, forwarded: text, 'if-none-match': text, accept: text, 'x-original-url': text, 'x-http-method-override': 'DELETE' };
    for (const path of ['/oauth2/authorize', '/device', '/account/sessions', '/nowhere', '/oauth2/jwks', '/.well-known/openid-configuration', '/oauth2/logout'])
      await ask('GET', path, { headers });
    for (const cookie of [`muhur-browser=${text}`, `muhur-session=${text}`, text, `muhur-session=${text}; muhur-session=x`])
      await ask('GET', '/account/sessions', { headers: { cookie: cookie.replace(/[^\x20-\x7e]/g, '?') }, cookies: false });
    await ask('GET', `/${encodeURIComponent(value.replaceAll('\0', ''))}`);
    await ask('GET', `/oauth2/register/${encodeURIComponent(value.replaceAll('\0', '')) || 'x'}`);
  }
  // What was said stays what it is when it is shown later.
  const strange = id.browser({ headers: { 'user-agent': `Firefox/1 Linux "><script>${mark}()</script>` } });
  const plain = id.browser({ headers: { 'user-agent': `"><script>${mark}()</script>` } });
  for (const one of [strange, plain]) {
    await id.authorize(one, app);
    const page = await one.get('/account/sessions');
    assertHarmless(page, { issuer: id.issuer, allowed, asked: 'sessions' });
    assert.match(page.text, /<ul class="sessions">/);
  }
});

test('bug 23: names of clients and users are text on every page', async () => {
  id.installation.must(['user', 'add', 'mallory@example.org', '--name', `"><script>${mark}()</script>`], { input: passwords.alice + '\n' });
  const mallory = id.browser();
  const signIn = await mallory.get(id.authorizeUrl(named).url);
  const consent = await id.signIn(mallory, signIn, 'mallory', passwords.alice);
  assert.equal(consent.kind, 'consent');
  const error = await mallory.get(id.authorizeUrl(named, { redirect_uri: 'https://evil.example/' }).url);
  const formPost = await mallory.get(id.authorizeUrl(named, { response_mode: 'form_post', prompt: 'none' }).url);
  const logout = await mallory.get('/oauth2/logout?client_id=named');
  for (const page of [signIn, consent, error, formPost, logout, await mallory.get('/account/sessions')]) {
    assertHarmless(page, { issuer: id.issuer, allowed, asked: page.url.href });
    if (page !== error) assert.equal(page.status, 200);
  }
  assert.match(consent.text, /&quot;&gt;&lt;script&gt;/);
});

test('bug 23: refusals of the server itself are pages like all others', async () => {
  const cookieless = (method, target, lines, body) => raw(id.issuer, requestText(method, target, { lines, body }));
  for (const [method, target, lines, body] of [
    ['GET', '/<script>', []], ['GET', '/%3Cscript%3E', []], ['GET', '/a/../b', []], ['GET', '/%2e%2e/', []], ['GET', '/\\evil.example', []], ['GET', '//evil.example/', []], ['GET', '/%5cevil', []],
    ['GET', 'http://evil.example/', []], ['BREW', '/', []], ['DELETE', '/oauth2/token', []], ['PUT', '/oauth2/authorize', []], ['TRACE', '/oauth2/authorize', []], ['CONNECT', 'evil.example:443', []], ['OPTIONS', '*', []],
    ['POST', '/oauth2/token', ['Transfer-Encoding: gzip']], ['GET', '/' + 'a'.repeat(9000), []], ['GET', '/', ['X: ' + 'a'.repeat(20_000)]], ['GET', '/', ['Expect: magic']], ['HEAD', '/oauth2/authorize', []], ['HEAD', '/oauth2/logout', []], ['HEAD', '/account/sessions', []],
  ]) {
    const answer = await cookieless(method, target, lines, body);
    assert.ok(answer.status >= 200 && answer.status < 600 && answer.status !== 500, `${method} ${target.slice(0, 40)}: ${answer.status}`);
    const headers = new Headers();
    for (const line of answer.head.split('\r\n').slice(1)) headers.append(line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim());
    if (answer.status !== 204) assertHarmless(new Page(new URL(id.issuer), { status: answer.status === 501 || answer.status === 505 ? 400 : answer.status, headers }, answer.body), { issuer: id.issuer, allowed, asked: [method, target.slice(0, 80)] });
  }
});
