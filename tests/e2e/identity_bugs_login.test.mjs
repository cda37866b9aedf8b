// Bug classes of identity providers about signing in: fixation, forged forms, step-up, what a failure keeps.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { metric } from './lib/attack.mjs';
import { claimsOf, IdentityServer, passwords } from './lib/identity.mjs';

let id, app, asks;

before(async () => {
  id = await IdentityServer.start();
  app = id.addClient('app', ['--public', '--first-party']);
  asks = id.addClient('asks', ['--public']);
});
after(() => id?.remove());

// A form sent with headers of our choice.
async function forge(browser, path, fields, headers = {}) {
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const response = await fetch(new URL(path, id.issuer), { method: 'POST', redirect: 'manual', body: new URLSearchParams(fields), headers: { cookie, ...headers } });
  return { status: response.status, cookies: response.headers.getSetCookie(), location: response.headers.get('location') };
}

const codeOf = (page) => page.location?.searchParams.get('code') ?? undefined;

test("bug 11: a sign-in page opened in one browser completes no other browser's request", async () => {
  const attacker = id.browser(), victim = id.browser();
  const page = await attacker.get(id.authorizeUrl(app).url);
  await victim.get('/account/sessions');
  // The attacker's whole form, sent by the victim's browser; with the victim's own token too.
  const forced = await id.signIn(victim, page);
  assert.equal(codeOf(forced), undefined);
  assert.equal(forced.status, 403);
  const own = await victim.get(id.authorizeUrl(app).url);
  const mixed = await victim.submit(own, { pending: page.form('pending').fields.pending, login: 'alice@example.org', password: passwords.alice });
  assert.equal(mixed.status, 400);
  assert.equal(mixed.location, undefined);
  assert.equal(victim.cookie('muhur-session'), undefined);
  // A binding cookie that was planted opens nothing either: the victim's session is its own.
  assert.ok(codeOf(await id.signIn(attacker, page)));
});

test('bug 11: a page is answered once', async () => {
  const browser = id.browser();
  const page = await browser.get(id.authorizeUrl(app).url);
  assert.ok(codeOf(await id.signIn(browser, page)));
  const again = await id.signIn(browser, page);
  assert.equal(again.status, 400);
  assert.equal(again.location, undefined);
  const consent = await id.signIn(browser, await browser.get(id.authorizeUrl(asks, { prompt: 'login' }).url));
  assert.equal(consent.kind, 'consent');
  assert.ok(codeOf(await browser.submit(consent, {}, { button: 'approve' })));
  assert.equal((await browser.submit(consent, {}, { button: 'approve' })).location, undefined);
});

test('bug 11: the session id changes at every sign-in, and what was planted or replaced is worth nothing', async () => {
  const browser = id.browser();
  browser.cookies.set('muhur-session', 'planted-by-somebody-else');
  browser.cookies.set('muhur-browser', 'planted-too');
  await id.authorize(browser, app);
  const first = browser.cookie('muhur-session');
  assert.match(first, /^[\w-]{43}$/);
  const stolen = browser.copy();
  await id.authorize(browser, app, { prompt: 'login' });
  assert.notEqual(browser.cookie('muhur-session'), first);
  assert.equal((await stolen.get('/account/sessions')).kind, 'sign-in');
  // A planted session of the attacker's ends when the victim signs in upon it.
  const attacker = id.browser(), victim = id.browser();
  await id.authorize(attacker, app, {}, { user: 'bob' });
  victim.cookies.set('muhur-session', attacker.cookie('muhur-session'));
  await id.authorize(victim, app, { prompt: 'login' }, { user: 'alice' });
  assert.equal((await attacker.get('/account/sessions')).kind, 'sign-in');
  assert.match((await victim.get('/account/sessions')).text, /alice@example\.org/);
});

test("bug 12: an approval belongs to the browser and the session that were asked", async () => {
  const attacker = id.browser(), victim = id.browser();
  const back = id.authorizeUrl(asks);
  const consent = await id.signIn(attacker, await attacker.get(back.url), 'bob');
  assert.equal(consent.kind, 'consent');
  await id.authorize(victim, app, {}, { user: 'alice' });
  const forced = await victim.submit(consent, {}, { button: 'approve' });
  assert.equal(forced.status, 403);
  // With the victim's binding, but asked of another session.
  const shared = attacker.copy();
  shared.cookies.set('muhur-session', victim.cookie('muhur-session'));
  const other = await shared.submit(consent, {}, { button: 'approve' });
  assert.equal(other.location, undefined);
  assert.equal(other.status, 400);
  // A page that asked for a password is no page that asks for consent, nor the other way round.
  const browser = id.browser();
  await id.authorize(browser, app);
  const page = await browser.get(id.authorizeUrl(asks, { prompt: 'login' }).url);
  const consentPage = await browser.get(id.authorizeUrl(asks, { prompt: 'consent' }).url);
  const skipped = await browser.submit(consentPage, { pending: page.form('pending').fields.pending }, { button: 'approve' });
  assert.equal(skipped.location, undefined, 'prompt=login was skipped');
  assert.ok(codeOf(await browser.submit(consentPage, {}, { button: 'approve' })));
});

test('bug 13: forms without their token or from elsewhere are refused, and cost no hash', async () => {
  const browser = id.browser();
  const login = await browser.get(id.authorizeUrl(asks, { prompt: 'login consent' }).url);
  const hashes = await metric(id.issuer, 'muhur_password_hashes_total');
  const fields = { ...login.form('password').fields, login: 'alice@example.org', password: passwords.alice };
  const elsewhere = [
    [{ csrf: '' }, {}], [{ csrf: fields.csrf.slice(0, -2) + 'AA' }, {}], [{ csrf: 'x'.repeat(43) }, {}],
    [{}, { origin: 'https://evil.example' }], [{}, { origin: 'null' }], [{}, { 'sec-fetch-site': 'cross-site' }],
    [{}, { 'sec-fetch-site': 'same-site' }], [{}, { origin: id.issuer + '.evil.example' }], [{}, { origin: id.issuer.replace('http:', 'https:') }],
  ];
  for (const [change, headers] of elsewhere) {
    const sent = await forge(browser, '/oauth2/login', { ...fields, ...change }, { origin: id.issuer, ...headers });
    assert.equal(sent.status, 403, JSON.stringify([change, headers]));
    assert.deepEqual(sent.cookies, []);
  }
  const bare = { ...fields };
  delete bare.csrf;
  assert.equal((await forge(browser, '/oauth2/login', bare)).status, 403);
  assert.equal((await forge(id.browser(), '/oauth2/login', fields, { origin: id.issuer })).status, 403);
  assert.equal(await metric(id.issuer, 'muhur_password_hashes_total'), hashes);

  const consent = await id.signIn(browser, login);
  assert.equal(consent.kind, 'consent');
  const yes = { ...consent.forms[0].fields, decision: 'approve' };
  // The first form's token is for signing in only.
  for (const [change, headers] of [...elsewhere, [{ csrf: fields.csrf }, {}]]) {
    const sent = await forge(browser, '/oauth2/consent', { ...yes, ...change }, { origin: id.issuer, ...headers });
    assert.equal(sent.status, 403, JSON.stringify([change, headers]));
  }
  for (const path of ['/account/sessions', '/device', '/oauth2/logout']) {
    const sent = await forge(browser, path, { csrf: 'x', all_others: '1', decision: 'approve', user_code: 'BCDF-GHJK' }, { origin: id.issuer });
    assert.equal(sent.status, 403, path);
  }
  // A GET does nothing that a form does.
  for (const path of ['/oauth2/login', '/oauth2/consent'])
    assert.equal((await browser.request('GET', `${path}?${new URLSearchParams(yes)}`)).status, 405);
  assert.ok(codeOf(await browser.submit(consent, {}, { button: 'approve' })));
});

test('bug 21: max_age and prompt ask for a new proof, and the token tells when and how it was given', async () => {
  const browser = id.browser();
  const before = claimsOf((await id.tokens(app, { browser })).id_token);
  assert.deepEqual(before.amr, ['pwd']);
  for (const parameters of [{ prompt: 'login' }, { prompt: 'select_account' }, { max_age: '0' }, { prompt: 'login', max_age: '10000' }]) {
    const page = await browser.get(id.authorizeUrl(app, parameters).url);
    assert.equal(page.kind, 'sign-in', JSON.stringify(parameters));
    const silent = await id.authorize(browser, app, { ...parameters, prompt: 'none' });
    if (parameters.max_age === '0') assert.equal(silent.parameters.error, 'login_required');
  }
  const { url, verifier } = id.authorizeUrl(app, { max_age: '0' });
  const back = { ...(await id.complete(browser, await browser.get(url))), verifier };
  const after = claimsOf((await id.exchange(app, back)).body.id_token);
  assert.ok(after.auth_time >= before.auth_time);
  assert.ok(Math.abs(after.auth_time - after.iat) <= 60);
  // Nothing stronger can be had than a password, and it is said so.
  const acr = JSON.stringify({ id_token: { acr: { essential: true, values: ['phr', '2'] } } });
  assert.equal((await id.authorize(browser, app, { claims: acr })).parameters.error, 'unmet_authentication_requirements');
});

test('bug 45: acr and amr say what happened, whatever was asked for', async () => {
  for (const parameters of [{ acr_values: 'phr mfa 2' }, { claims: JSON.stringify({ id_token: { acr: { values: ['phr'] }, amr: { value: ['otp', 'mfa'] } } }) }]) {
    const claims = claimsOf((await id.tokens(app, parameters)).id_token);
    assert.equal(claims.acr, '1');
    assert.deepEqual(claims.amr, ['pwd']);
  }
});

test('bug 57: a failed sign-in keeps every parameter of the request', async () => {
  const browser = id.browser();
  const { url, verifier, state } = id.authorizeUrl(app, {
    prompt: 'login consent', max_age: '0', nonce: 'n-1', scope: 'openid email', response_mode: 'form_post', ui_locales: 'tr',
    login_hint: 'bob@example.org', claims: JSON.stringify({ id_token: { email: null } }),
  });
  let page = await browser.get(url);
  assert.match(page.text, /<html lang="tr"/);
  assert.equal(page.form('login').fields.login, 'bob@example.org');
  for (const password of ['wrong', '', 'x'.repeat(5000), '\ufffd']) {
    page = await id.signIn(browser, page, 'alice', password);
    assert.equal(page.kind, 'sign-in', page.title);
    assert.match(page.text, /<html lang="tr"/);
    assert.ok(page.alert);
    assert.equal(browser.cookie('muhur-session'), undefined);
  }
  const consent = await id.signIn(browser, page);
  assert.equal(consent.kind, 'consent', 'prompt=consent was lost');
  const back = id.cameBack(await browser.submit(consent, {}, { button: 'approve' }));
  assert.equal(back.by, 'form_post');
  assert.equal(back.parameters.state, state);
  const { body } = await id.exchange(app, { ...back, verifier });
  const claims = claimsOf(body.id_token);
  assert.equal(claims.nonce, 'n-1');
  assert.equal(claims.email, 'alice@example.org');
  assert.equal(body.scope, 'openid email');
});

test('bug 50: sessions and tokens end with a new password, with disabling and with deleting', async () => {
  const server = id.addClient('server', ['--may-introspect', '--first-party']);
  const run = (args, input) => id.installation.must(args, { input });
  const changes = [
    () => run(['user', 'passwd', 'bob@example.org'], `${passwords.bob}\nanother password of his\n`),
    () => run(['user', 'disable', 'bob@example.org']),
    () => run(['user', 'delete', 'bob@example.org', '--yes']),
  ];
  let password = passwords.bob;
  for (const [n, change] of changes.entries()) {
    const browser = id.browser();
    const back = await id.authorize(browser, app, { scope: 'openid offline_access' }, { user: 'bob', password });
    const { access_token, refresh_token } = (await id.exchange(app, back)).body;
    const pending = await id.authorize(browser, app, {}, { user: 'bob' });
    assert.ok(access_token);
    change();
    const ended = async () => (await browser.get('/account/sessions')).kind === 'sign-in';
    for (let i = 0; i < 200 && !(await ended()); ++i) await new Promise((done) => setTimeout(done, 50));
    assert.ok(await ended(), `change ${n}`);
    assert.equal((await id.introspect(server, access_token)).body.active, false);
    assert.equal((await id.introspect(server, refresh_token)).body.active, false);
    assert.equal((await id.token(app, { grant_type: 'refresh_token', refresh_token })).body.error, 'invalid_grant');
    assert.equal((await id.exchange(app, pending)).body.error, 'invalid_grant');
    assert.equal((await id.userinfo(access_token)).status, 401);
    if (n === 0) password = 'another password of his';
    if (n === 1) run(['user', 'enable', 'bob@example.org']);
    if (n === 1) assert.ok(await ended(), 'it came back with enabling');
  }
});

test('bug 50: they end also when the password is changed while the server stands still', async () => {
  const browser = id.browser();
  const { refresh_token } = await id.tokens(app, { browser, scope: 'openid offline_access' });
  await id.installation.stop();
  id.installation.must(['user', 'passwd', 'alice@example.org'], { input: `${passwords.alice}\nwhile it stood still\n` });
  await id.begin();
  assert.equal((await browser.get('/account/sessions')).kind, 'sign-in');
  assert.equal((await id.token(app, { grant_type: 'refresh_token', refresh_token })).body.error, 'invalid_grant');
  assert.ok((await id.authorize(browser, app, {}, { password: 'while it stood still' })).parameters.code);
});
