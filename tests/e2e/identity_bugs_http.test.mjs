// Bug classes of identity providers about HTTP: hosts, limits, smuggling, what browsers of others may read.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { formLine, raw, requestText } from './lib/attack.mjs';
import { IdentityServer } from './lib/identity.mjs';

let id, app, server, named;

before(async () => {
  id = await IdentityServer.start({ settings: { MUHUR_SIGN_IN_DYNAMIC_REGISTRATION: 'true' } });
  app = id.addClient('app', ['--public', '--first-party', '--grant', 'authorization_code', '--grant', 'refresh_token', '--grant', 'urn:ietf:params:oauth:grant-type:device_code']);
  server = id.addClient('server', ['--first-party', '--may-introspect']);
  named = await IdentityServer.start({ settings: { MUHUR_HTTP_HOSTS: 'id.example.org, 127.0.0.1', MUHUR_HTTP_ISSUER: 'https://id.example.org' } });
});
after(() => Promise.all([id?.remove(), named?.remove()]));

const evil = 'evil.example';

test('bug 22: what a request says of its host is in no link, document or token', async () => {
  const lines = [`X-Forwarded-Host: ${evil}`, `X-Forwarded-Proto: https`, `X-Forwarded-Server: ${evil}`, `Forwarded: host=${evil};proto=https`, `X-Original-Host: ${evil}`, `X-Host: ${evil}`];
  const token = JSON.parse(id.installation.must(['client', 'initial-token', '--json']).stdout).token;
  const body = (fields) => new URLSearchParams(fields).toString();
  const asked = [
    ['GET', '/.well-known/openid-configuration'], ['GET', '/.well-known/oauth-authorization-server'], ['GET', '/oauth2/jwks'],
    ['GET', `/oauth2/authorize${id.authorizeUrl(app).url.search}`], ['GET', `/oauth2/authorize${id.authorizeUrl(app, { prompt: 'none' }).url.search}`],
    ['GET', '/device'], ['GET', '/account/sessions'], ['GET', '/oauth2/logout'], ['GET', '/nowhere'], ['GET', '/'], ['GET', '/favicon.ico'],
    ['POST', '/oauth2/device_authorization', body({ client_id: 'app', scope: 'openid' }), formLine],
    ['POST', '/oauth2/par', body(id.authorizeUrl(app).url.searchParams), formLine],
    ['POST', '/oauth2/register', JSON.stringify({ redirect_uris: ['https://r.example/cb'] }), 'Content-Type: application/json', `Authorization: Bearer ${token}`],
    ['POST', '/oauth2/login', body({ login: 'x' }), formLine], ['POST', '/oauth2/token', body({ client_id: 'app', grant_type: 'x' }), formLine],
  ];
  for (const [method, path, content, ...more] of asked) {
    for (const [host, target] of [[evil, path], [`${evil}:1234`, path], [evil, `http://${evil}${path}`]]) {
      const answer = await raw(id.issuer, requestText(method, target, { host, lines: [...lines, ...more], body: content }));
      assert.ok(answer.status > 0 && answer.status < 500, `${method} ${target} ${answer.status}`);
      assert.ok(!answer.text.includes(evil), `${method} ${target}: ${answer.text.slice(0, 1000)}`);
    }
  }
  const document = JSON.parse((await raw(id.issuer, requestText('GET', '/.well-known/openid-configuration', { host: evil }))).body);
  assert.equal(document.issuer, id.issuer);
});

test('bug 22: with names of its own the server answers to no other', async () => {
  const to = `http://${named.endpoints.http.host}:${named.endpoints.http.port}`;
  const status = async (host, target = '/.well-known/openid-configuration') => (await raw(to, requestText('GET', target, { host }))).status;
  for (const host of ['id.example.org', 'ID.example.org', 'id.example.org:8443', '127.0.0.1', '127.0.0.1:80']) assert.equal(await status(host), 200, host);
  for (const host of [evil, 'id.example.org.evil.example', 'evil.example:id.example.org', 'localhost', '', 'id.example.org@evil.example', 'id.example.org, evil.example', 'id.example.org/evil'])
    assert.ok([400, 421].includes(await status(host)), host);
  assert.ok([400, 421].includes(await status('id.example.org', `http://${evil}/`)));
  const twice = await raw(to, `GET /healthz HTTP/1.1\r\nHost: id.example.org\r\nHost: ${evil}\r\nConnection: close\r\n\r\n`);
  assert.equal(twice.status, 400);
  assert.equal((await raw(to, 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n')).status, 400);
  const document = JSON.parse((await raw(to, requestText('GET', '/.well-known/openid-configuration', { host: 'id.example.org' }))).body);
  assert.equal(document.issuer, 'https://id.example.org');
  // Cookies are for that host and https alone.
  const page = await raw(to, requestText('GET', '/account/sessions', { host: 'id.example.org' }));
  assert.match(page.head, /^set-cookie: __Host-muhur-browser=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Lax$/im);
});

test('bug 49: headers, targets and bodies have their limits', async () => {
  for (const [status, text] of [
    [431, requestText('GET', '/', { lines: ['X: ' + 'a'.repeat(20_000)] })], [431, requestText('GET', '/', { lines: Array.from({ length: 2000 }, (_, i) => `X-${i}: abcdefgh`) })],
    [414, requestText('GET', '/' + 'a'.repeat(10_000))], [414, `GET /${'a'.repeat(40_000)}`], [413, requestText('POST', '/oauth2/token', { lines: [formLine], body: 'a='.padEnd(70_000, 'x') })],
    [413, `POST /oauth2/token HTTP/1.1\r\nHost: h\r\n${formLine}\r\nContent-Length: 99999999999\r\n\r\n`],
    [413, `POST /oauth2/token HTTP/1.1\r\nHost: h\r\n${formLine}\r\nTransfer-Encoding: chunked\r\n\r\n` + `1000\r\n${'x'.repeat(4096)}\r\n`.repeat(20)],
    [413, `POST /oauth2/token HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFF\r\n`], [400, `POST /oauth2/token HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999999999999999\r\n\r\n`],
    [413, `POST /nowhere HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n\r\n`],
  ])
    assert.equal((await raw(id.issuer, text)).status, status, text.slice(0, 120));
  // A body that is announced too large is refused before it is sent: nobody is told to go on with it.
  const expecting = await raw(id.issuer, `POST /oauth2/token HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 1000000\r\n\r\n`);
  assert.equal(expecting.status, 413);
});

test('bug 49: who sends nothing, half a header or half a body is not waited for', async () => {
  const cases = ['', 'G', 'GET /healthz HTTP/1.1\r\nHost: h\r\n', `POST /oauth2/token HTTP/1.1\r\nHost: h\r\n${formLine}\r\nContent-Length: 100\r\n\r\nhalf`,
    `POST /oauth2/token HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab`];
  const [silent, ...others] = await Promise.all(cases.map((bytes) => raw(id.issuer, bytes, { timeout: 90_000 })));
  assert.equal(silent.status, 0, 'who asked nothing is told nothing');
  for (const { status } of others) assert.equal(status, 408);
  // One that drips goes no further than the whole time: the clock does not start anew with each byte.
  const dripping = await new Promise((done) => {
    const { hostname, port } = new URL(id.issuer);
    const socket = connect(Number(port), hostname, () => socket.write('GET /healthz HTTP/1.1\r\nX: '));
    const drip = setInterval(() => socket.write('a'), 500);
    let text = '';
    socket.on('data', (piece) => (text += piece)).on('error', () => {}).on('close', () => { clearInterval(drip); done(text); });
  });
  assert.match(dripping, /^HTTP\/1\.1 408 /);
});

test('HTTP: two requests never hide in one', async () => {
  const hidden = 'GET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n';
  const forms = [
    `Content-Length: ${hidden.length}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`, `Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n${hidden}`,
    `Content-Length: 0\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`, `Content-Length: 0, ${hidden.length}\r\n\r\n${hidden}`, `Content-Length: +0\r\n\r\n${hidden}`, `Content-Length: 0x0\r\n\r\n${hidden}`, `Content-Length : 0\r\n\r\n${hidden}`,
    `Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${hidden}`, `Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${hidden}`, `Transfer-Encoding: identity\r\n\r\n${hidden}`, `Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${hidden}`, `Transfer-Encoding:\tchunked\r\nTransfer-Encoding: x\r\n\r\n0\r\n\r\n${hidden}`,
    `Transfer-Encoding: chunked\r\n\r\n0x0\r\n\r\n${hidden}`, `Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n${hidden}`, `X: y\r\n Content-Length: 0\r\n\r\n${hidden}`, `X: y\nContent-Length: 5\n\n${hidden}`, `X\u0000: y\r\n\r\n${hidden}`, `X: a\rb\r\n\r\n${hidden}`, `: y\r\n\r\n${hidden}`,
  ];
  for (const form of forms) {
    const answer = await raw(id.issuer, `POST /oauth2/token HTTP/1.1\r\nHost: h\r\n${form}`);
    const answers = answer.text.split('HTTP/1.1 ').length - 1;
    assert.equal(answers, 1, `${JSON.stringify(form.slice(0, 80))}: ${answers} answers`);
    assert.ok([400, 501].includes(answer.status), `${JSON.stringify(form.slice(0, 80))}: ${answer.status}`);
    assert.ok(!answer.text.includes('smuggled'));
  }
});

test('HTTP: other origins read what is for all, never with cookies, and nothing of a page', async () => {
  const browser = id.browser();
  await id.authorize(browser, app);
  const cookie = [...browser.cookies].map((pair) => pair.join('=')).join('; ');
  const open = ['/oauth2/token', '/oauth2/revoke', '/oauth2/userinfo', '/oauth2/jwks', '/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'];
  const closed = ['/oauth2/authorize', '/oauth2/login', '/oauth2/consent', '/oauth2/logout', '/account/sessions', '/device', '/oauth2/par', '/oauth2/introspect', '/oauth2/device_authorization', '/oauth2/register', '/metrics'];
  for (const path of [...open, ...closed]) {
    for (const method of ['GET', 'POST']) {
      const preflight = await fetch(id.issuer + path, { method: 'OPTIONS', headers: { origin: 'https://evil.example', 'access-control-request-method': method, 'access-control-request-headers': 'authorization, dpop', cookie } });
      const answer = await fetch(id.issuer + path, { method, headers: { origin: 'https://evil.example', cookie }, redirect: 'manual', ...(method === 'POST' ? { body: new URLSearchParams() } : {}) });
      for (const { headers } of [preflight, answer]) {
        assert.equal(headers.get('access-control-allow-credentials'), null);
        const origin = headers.get('access-control-allow-origin');
        assert.ok(origin === null || origin === '*', `${path}: ${origin}`);
        if (closed.includes(path)) assert.equal(origin, null, path);
      }
    }
  }
  for (const path of open) assert.equal((await fetch(id.issuer + path, { method: path.includes('token') || path.includes('revoke') ? 'POST' : 'GET', headers: { origin: 'https://spa.example' }, ...(/token|revoke/.test(path) ? { body: new URLSearchParams() } : {}) })).headers.get('access-control-allow-origin'), '*', path);
});

test('HTTP: answers with tokens are kept by no cache', async () => {
  const browser = id.browser();
  const back = await id.authorize(browser, app);
  assert.match(back.page.headers.get('cache-control'), /no-store/);
  const tokens = await id.exchange(app, back);
  const answers = [tokens, await id.introspect(server, tokens.body.access_token), await id.post('/oauth2/revoke', app, { token: 'x' }), await id.token(app, { grant_type: 'x' }), await id.post('/oauth2/par', server, Object.fromEntries(id.authorizeUrl(server).url.searchParams))];
  for (const { headers } of answers) assert.match(headers.get('cache-control'), /no-store/);
  for (const response of [await id.userinfo(tokens.body.access_token), await id.userinfo('x')]) assert.match(response.headers.get('cache-control'), /no-store/);
});
