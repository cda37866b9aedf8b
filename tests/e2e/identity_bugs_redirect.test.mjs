// Bug classes of identity providers about where an answer goes: redirect URIs, mix-up, state.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { IdentityServer } from './lib/identity.mjs';

let id, app, withQuery, native, second;

before(async () => {
  id = await IdentityServer.start();
  app = id.addClient('app', ['--public', '--first-party', '--redirect-uri', 'https://app.example/callback']);
  withQuery = id.addClient('query', ['--public', '--first-party', '--redirect-uri', 'https://app.example/callback?tenant=1']);
  native = id.addClient('native', ['--public', '--first-party', '--redirect-uri', 'http://127.0.0.1/callback',
    '--redirect-uri', 'http://[::1]/callback', '--redirect-uri', 'com.example.app:/callback', '--redirect-uri', 'http://localhost/callback']);
  second = id.addClient('second', ['--first-party', '--redirect-uri', 'https://second.example/callback']);
});
after(() => id?.remove());

// A page, an error, and nothing that leads anywhere.
function assertPage(page, why) {
  assert.equal(page.status, 400, why);
  assert.equal(page.headers.get('location'), null, why);
  assert.match(page.headers.get('content-type'), /^text\/html/, why);
  assert.equal(page.forms.length, 0, why);
  assert.ok(!/http-equiv|<script/i.test(page.text), why);
}

const lookAlikes = [
  'https://app.example@evil.example/callback', 'https://app.example%40evil.example/callback',
  'https://app.example%25@evil.example/callback', 'https://a@app.example@evil.example/callback',
  'https://app.example:x@evil.example/callback', 'https://user@app.example/callback',
  'https://app.example.evil.example/callback', 'https://evil.example/https://app.example/callback',
  'https://app.example/callback.evil.example', 'https://app.example/callback/', 'https://app.example/callback/..',
  'https://app.example/callback%2f', 'https://app.example/callbackx', 'https://app.example/callback?x=1',
  'https://app.example/callback#', 'https://app.example/callback#x', 'https://app.example:443/callback',
  'https://app.example//callback', 'https://app.example/./callback', 'https://app.example/x/../callback',
  'https://app.example/%2e%2e/callback', 'https://app.example\\@evil.example/callback',
  'https://evil.example\\app.example/callback', 'https:app.example/callback', 'https:///app.example/callback',
  '//app.example/callback', '/callback', 'http://app.example/callback', ' https://app.example/callback',
  'https://app.example/callback ', 'https://app.example/callback\t', 'https://app.example/callback\r\nX: y',
  'https://app.example/callback\u0000', 'https://\u0430pp.example/callback', 'https://*.example/callback', 'javascript:alert(1)',
  'data:text/html,x', '',
];

test('bug 1: userinfo, prefixes and look-alikes of a redirect URI get an error page and no Location', async () => {
  for (const uri of lookAlikes) {
    for (const prompt of [undefined, 'none']) {
      const page = await id.browser().request('GET', id.authorizeUrl(app, { redirect_uri: uri, prompt }).url);
      assertPage(page, JSON.stringify([uri, prompt]));
    }
  }
});

test('bug 2: a redirect URI is compared with its case', async () => {
  for (const uri of ['https://app.example/CALLBACK', 'https://APP.EXAMPLE/callback', 'HTTPS://app.example/callback', 'https://app.example/callbacK'])
    assertPage(await id.browser().request('GET', id.authorizeUrl(app, { redirect_uri: uri }).url), uri);
});

test('bug 3: of a loopback redirect URI only the port may differ', async () => {
  for (const uri of ['http://127.0.0.1:49152/callback', 'http://[::1]:1/callback', 'http://127.0.0.1/callback', 'com.example.app:/callback', 'http://localhost/callback']) {
    const back = await id.authorize(id.browser(), native, { redirect_uri: uri });
    assert.ok(back.page.location?.href.startsWith(uri + '?'), `${uri}: ${back.page.location}`);
    assert.ok(back.parameters.code);
  }
  for (const uri of ['http://127.0.0.1:49152/callback?x=1', 'http://127.0.0.1:49152/other', 'http://127.0.0.1:49152/callback/../x',
    'http://127.0.0.1:49152/%2e%2e/callback', 'http://127.0.0.1:49152/callback#f', 'http://127.0.0.1:0/callback',
    'http://127.0.0.1:65536/callback', 'http://127.0.0.1:080/callback', 'http://127.0.0.1:/callback', 'http://127.0.0.1\\:1/callback',
    'http://127.0.0.2:49152/callback', 'http://127.1:49152/callback', 'http://0x7f000001:1/callback', 'http://2130706433/callback',
    'http://localhost:49152/callback', 'http://127.0.0.1.evil.example:1/callback', 'http://a@127.0.0.1:1/callback',
    'https://127.0.0.1:49152/callback', 'http://[::ffff:127.0.0.1]:1/callback', 'http://[0:0:0:0:0:0:0:1]/callback',
    'com.example.app:/callback2', 'com.example.app://callback', 'com.example.app.evil:/callback'])
    assertPage(await id.browser().request('GET', id.authorizeUrl(native, { redirect_uri: uri }).url), uri);
});

test('bug 4: neither an unknown client nor an unknown URI is ever redirected to', async () => {
  const evil = 'https://evil.example/callback';
  const tries = [
    [{ id: 'nobody', redirect: evil }, {}], [{ id: '', redirect: evil }, {}], [app, { redirect_uri: evil }],
    [{ ...second, redirect: app.redirect }, {}], [app, { redirect_uri: undefined }], [{ id: 'APP', redirect: app.redirect }, {}],
    [app, { redirect_uri: [app.redirect, evil] }], [app, { redirect_uri: [evil, app.redirect] }], [app, { client_id: ['app', 'second'] }],
    [app, { redirect_uri: evil, response_type: 'token' }], [app, { redirect_uri: evil, response_mode: 'form_post' }],
    [app, { redirect_uri: evil, request: 'e30.e30.' }], [app, { redirect_uri: evil, request_uri: evil }],
    [app, { redirect_uri: evil, scope: 'no such', max_age: '-1', code_challenge_method: 'plain' }],
    [app, { redirect_uri: evil, id_token_hint: 'x' }], [app, { redirect_uri: evil, request_uri: 'urn:ietf:params:oauth:request_uri:x' }],
  ];
  for (const [client, parameters] of tries) {
    const { url } = id.authorizeUrl(client, parameters);
    assertPage(await id.browser().request('GET', url), String(url));
    const posted = await id.browser().request('POST', '/oauth2/authorize', { fields: url.searchParams });
    assertPage(posted, `POST ${url.search}`);
  }
});

test('bug 4: a redirect_uri that was pushed is judged like any other', async () => {
  const pushed = await id.post('/oauth2/par', second, { response_type: 'code', redirect_uri: 'https://evil.example/callback', scope: 'openid' });
  assert.equal(pushed.status, 400);
  assert.equal(pushed.body.error, 'invalid_request');
  // Beside a request_uri nothing counts.
  const { url } = id.authorizeUrl(second);
  const fields = Object.fromEntries(url.searchParams);
  const good = await id.post('/oauth2/par', second, fields);
  assert.equal(good.status, 201, good.text);
  const asked = new URL('/oauth2/authorize', id.issuer);
  asked.search = new URLSearchParams({ client_id: 'second', request_uri: good.body.request_uri, redirect_uri: 'https://evil.example/', prompt: 'none' });
  const shown = await id.browser().request('GET', asked);
  assert.equal(shown.kind, 'sign-in');
});

test('bug 5: prompt=none and every other error redirect go to the registered URI only', async () => {
  const wrong = { prompt: 'none', response_type: 'code', scope: 'openid' };
  const errors = [
    [wrong, 'login_required'], [{ response_type: 'token' }, 'unsupported_response_type'], [{ response_type: undefined }, 'invalid_request'],
    [{ code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'], [{ scope: 'openid mail' }, 'invalid_scope'],
    [{ prompt: 'none login' }, 'invalid_request'], [{ max_age: 'x' }, 'invalid_request'], [{ request: 'e30.e30.' }, 'request_not_supported'],
    [{ request_uri: 'https://evil.example/r' }, 'request_uri_not_supported'], [{ resource: 'https://evil.example' }, 'invalid_target'],
    [{ id_token_hint: 'a.b.c' }, 'invalid_request'], [{ claims: '{' }, 'invalid_request'], [{ scope: ['openid', 'email'] }, 'invalid_request'],
  ];
  for (const [parameters, error] of errors) {
    const { url, state } = id.authorizeUrl(app, parameters);
    const page = await id.browser().request('GET', url);
    const back = id.cameBack(page);
    assert.equal(`${back.redirect?.origin}${back.redirect?.pathname}`, app.redirect, url.search);
    assert.equal(back.parameters.error, error, url.search);
    assert.equal(back.parameters.state, state);
    assert.equal(back.parameters.iss, id.issuer);
    assert.equal(back.parameters.code, undefined);
    url.searchParams.set('redirect_uri', 'https://evil.example/callback');
    assertPage(await id.browser().request('GET', url), url.search);
  }
});

test('bug 5: a client whose URI was taken away between page and answer is answered by a page', async () => {
  const fickle = id.addClient('fickle', ['--public', '--first-party', '--redirect-uri', 'https://old.example/callback']);
  const browser = id.browser();
  const page = await browser.get(id.authorizeUrl(fickle).url);
  assert.equal(page.kind, 'sign-in');
  assert.equal(id.run(['client', 'change', 'fickle', '--redirect-uri', 'https://new.example/callback']).code, 0);
  const answer = await id.signIn(browser, page);
  assertPage(answer);
});

test('bug 36: the answer names its issuer on success and on error, by redirect and by form', async () => {
  for (const response_mode of [undefined, 'query', 'form_post']) {
    const good = await id.authorize(id.browser(), app, { response_mode });
    assert.equal(good.by, response_mode === 'form_post' ? 'form_post' : 'redirect');
    assert.ok(good.parameters.code);
    assert.equal(good.parameters.iss, id.issuer);
    assert.equal(good.parameters.state, good.state);
    const bad = await id.authorize(id.browser(), app, { response_mode, prompt: 'none' });
    assert.equal(bad.parameters.error, 'login_required');
    assert.equal(bad.parameters.iss, id.issuer);
    assert.equal(bad.redirect.origin, 'https://app.example');
  }
  for (const path of ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'])
    assert.equal((await id.json(path)).body.authorization_response_iss_parameter_supported, true);
});

test('bug 43: a registered URI is no pattern and no prefix', async () => {
  for (const uri of ['https://*.example/callback', 'https://app.example/*', 'https://app.example/callback*', 'http://127.0.0.1:*/callback']) {
    const refused = id.run(['client', 'add', '--id', 'wild', '--public', '--redirect-uri', uri]);
    assert.notEqual(refused.code, 0, uri);
  }
  const root = id.addClient('root', ['--public', '--first-party', '--redirect-uri', 'https://root.example/']);
  for (const uri of ['https://root.example', 'https://root.example/x', 'https://root.example/?x', 'https://root.example.evil.example/'])
    assertPage(await id.browser().request('GET', id.authorizeUrl(root, { redirect_uri: uri }).url), uri);
  const { code } = (await id.authorize(id.browser(), root)).parameters;
  assert.ok(code);
});

test('bug 53: state comes back exactly and encoded on every path, and a query gets its &', async () => {
  const states = ['a b+c', 'a&b=c#d?e', 'ü😀', '%41%', `"'<>\\`, '\r\nLocation: https://evil.example', 'x'.repeat(4000), ' ', '&iss=https://evil.example'];
  for (const state of states) {
    for (const parameters of [{}, { prompt: 'none' }, { response_type: 'token' }]) {
      for (const client of [app, withQuery]) {
        const back = await id.authorize(id.browser(), client, { state, ...parameters });
        assert.equal(back.parameters.state, state);
        assert.equal(back.parameters.iss, id.issuer);
        const raw = back.page.headers.get('location');
        assert.ok(/^[!-~]+$/.test(raw), raw);
        assert.ok(!/[\s"'<>\\#]/.test(raw), raw);
        assert.equal(back.redirect.searchParams.getAll('state').length, 1);
        if (client === withQuery) assert.ok(raw.startsWith('https://app.example/callback?tenant=1&'), raw);
        else assert.ok(raw.startsWith('https://app.example/callback?'), raw);
      }
    }
    const form = await id.authorize(id.browser(), app, { state, response_mode: 'form_post' });
    // HTML has one line end: what a page gives back of another is the browser's.
    if (!state.includes('\r')) assert.equal(form.parameters.state, state);
  }
  // An empty state is none.
  const none = await id.authorize(id.browser(), app, { state: undefined });
  assert.ok(!none.redirect.searchParams.has('state'));
});
