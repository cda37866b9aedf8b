// Twenty at once: whatever may be used once is used once.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { IdentityServer } from './lib/identity.mjs';
import { addKeyClient, assertion, dpopProof, makeKey } from './lib/relying_party.mjs';

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';
const many = 20;
let id, app;
before(async () => {
  id = await IdentityServer.start({ settings: { MUHUR_SIGN_IN_DYNAMIC_REGISTRATION: 'true' } });
  app = id.addClient('app', ['--public']);
});
after(() => id?.remove());

const atOnce = (job) => Promise.all(Array.from({ length: many }, (_, i) => job(i)));
const successes = (answers) => answers.filter(({ status }) => status === 200 || status === 201);
// The codes among what browsers were led back with.
const codes = (pages) => pages.map((page) => id.cameBack(page).parameters.code).filter(Boolean);

test('race: one code, one success, and the winner’s tokens are taken back', async () => {
  for (let round = 0; round < 3; ++round) {
    const back = await id.authorize(id.browser(), app);
    const answers = await atOnce(() => id.exchange(app, back));
    const [won, ...more] = successes(answers);
    assert.equal(more.length, 0);
    assert.ok(won, 'nobody got anything');
    for (const answer of answers.filter((one) => one !== won)) assert.equal(answer.body.error, 'invalid_grant');
    assert.equal((await id.userinfo(won.body.access_token)).status, 401);
    assert.equal((await id.token(app, { grant_type: 'refresh_token', refresh_token: won.body.refresh_token })).body.error, 'invalid_grant');
  }
});

test('race: one refresh token, one rotation; all get the same successor', async () => {
  let { refresh_token } = await id.tokens(app);
  for (let round = 0; round < 3; ++round) {
    const answers = await atOnce(() => id.token(app, { grant_type: 'refresh_token', refresh_token }));
    assert.equal(successes(answers).length, many);
    const successors = new Set(answers.map(({ body }) => body.refresh_token));
    assert.equal(successors.size, 1);
    assert.ok(!successors.has(refresh_token));
    [refresh_token] = successors;
  }
});

test('race: one device code, polled by many after the decision', async () => {
  const tv = id.addClient('tv', ['--public', '--grant', deviceGrant]);
  const { body: started } = await id.post('/oauth2/device_authorization', tv, { scope: 'openid' });
  const browser = id.browser();
  let page = await id.signIn(browser, await browser.get(started.verification_uri_complete));
  page = await browser.submit(page, {}, { form: page.form('user_code') });
  await browser.submit(page, {}, { form: page.form('user_code'), button: 'approve' });
  const answers = await atOnce(() => id.token(tv, { grant_type: deviceGrant, device_code: started.device_code }));
  assert.equal(successes(answers).length, 1);
  for (const { status, body } of answers) if (status !== 200) assert.equal(body.error, 'invalid_grant');
});

test('race: one user code, approved and refused by many: one decision', async () => {
  const tv = id.addClient('tv2', ['--public', '--grant', deviceGrant]);
  const { body: started } = await id.post('/oauth2/device_authorization', tv, { scope: 'openid' });
  const browser = id.browser();
  let page = await id.signIn(browser, await browser.get(started.verification_uri_complete));
  page = await browser.submit(page, {}, { form: page.form('user_code') });
  const pages = await atOnce((i) => browser.submit(page, {}, { form: page.form('user_code'), button: i % 2 ? 'approve' : 'deny' }));
  assert.equal(pages.filter((one) => one.kind === undefined && one.status === 200).length, 1);
  const { body } = await id.token(tv, { grant_type: deviceGrant, device_code: started.device_code });
  assert.ok(body.error === 'access_denied' || body.access_token);
});

test('race: one consent form sent many times gives one code', async () => {
  const fresh = id.addClient('consent', ['--public']);
  const browser = id.browser();
  const page = await id.signIn(browser, await browser.get(id.authorizeUrl(fresh).url));
  assert.equal(page.kind, 'consent');
  const pages = await atOnce(() => browser.submit(page, {}, { button: 'approve' }));
  assert.equal(codes(pages).length, 1);
  assert.equal(pages.filter(({ status }) => status === 400).length, many - 1);
});

test('race: one sign-in form sent many times gives one code', async () => {
  const browser = id.browser();
  await id.authorize(browser, app);  // consent is remembered from here
  const page = await browser.get(id.authorizeUrl(app, { prompt: 'login' }).url);
  const pages = await atOnce(() => id.signIn(browser.copy(), page));
  assert.equal(codes(pages).length, 1);
});

test('race: one pushed request leads to one code, without pages and with many of them', async () => {
  const push = async (prompt) => {
    const { url } = id.authorizeUrl(app, { prompt });
    const { body } = await id.post('/oauth2/par', app, Object.fromEntries(url.searchParams));
    return `/oauth2/authorize?${new URLSearchParams({ client_id: app.id, request_uri: body.request_uri })}`;
  };
  const browser = id.browser();
  await id.authorize(browser, app);
  const silent = await push('none');
  assert.equal(codes(await atOnce(() => browser.get(silent))).length, 1);
  const asking = await push('login');
  const pages = await atOnce(() => browser.get(asking));
  for (const page of pages) assert.equal(page.kind, 'sign-in');
  assert.equal(codes(await atOnce((i) => id.signIn(browser.copy(), pages[i]))).length, 1);
});

test('race: one initial token for three, used by many', async () => {
  const { token } = JSON.parse(id.run(['client', 'initial-token', '--uses', '3', '--json']).stdout);
  const answers = await atOnce(() => fetch(`${id.issuer}/oauth2/register`, {
    method: 'POST', headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' }, body: '{"redirect_uris":["https://a.example.org/"]}',
  }));
  assert.equal(successes(answers).length, 3);
  for (const { status } of answers) assert.ok(status === 201 || status === 401, `${status}`);
});

test('race: one client assertion and one DPoP proof, each good for one request', async () => {
  const keyed = addKeyClient(id, 'keyed', [await makeKey()], ['--grant', 'client_credentials', '--scope', 'reports']);
  const fields = { grant_type: 'client_credentials', ...(await assertion(id, keyed)) };
  const asserted = await atOnce(() => id.token(keyed, fields));
  assert.equal(successes(asserted).length, 1);
  const key = await makeKey();
  const headers = { dpop: await dpopProof(key, 'POST', `${id.issuer}/oauth2/token`) };
  const proved = await atOnce(async () => id.token(keyed, { grant_type: 'client_credentials', ...(await assertion(id, keyed)) }, { headers }));
  assert.equal(successes(proved).length, 1);
  for (const { status, body } of proved) if (status !== 200) assert.equal(body.error, 'invalid_dpop_proof');
});

test('race: many sign-ins at once are many sessions, each with its own code', async () => {
  const pages = await atOnce(async () => {
    const browser = id.browser();
    const back = await id.authorize(browser, app, {}, { user: 'bob' });
    return (await id.exchange(app, back)).status;
  });
  assert.deepEqual(new Set(pages), new Set([200]));
});
