// Bug classes of identity providers about the device grant (RFC 8628) and other things that are consumed.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { atOnce } from './lib/attack.mjs';
import { IdentityServer } from './lib/identity.mjs';

let id, tv, otherTv, app, browser;
const grant = 'urn:ietf:params:oauth:grant-type:device_code';

before(async () => {
  id = await IdentityServer.start();
  const args = ['--public', '--grant', 'authorization_code', '--grant', 'refresh_token', '--grant', grant];
  tv = id.addClient('tv', args);
  otherTv = id.addClient('tv2', args);
  app = id.addClient('app', ['--public', '--first-party']);
  browser = id.browser();
  await id.authorize(browser, app);
});
after(() => id?.remove());

const begin = async (client = tv, fields = {}) => (await id.post('/oauth2/device_authorization', client, { scope: 'openid profile', ...fields })).body;
const poll = (device_code, client = tv, more = {}) => id.token(client, { grant_type: grant, device_code, ...more });

async function decide(who, user_code, button = 'approve') {
  const form = await who.get('/device');
  const confirm = await who.submit(form, { user_code });
  if (confirm.kind !== 'device-confirm') return confirm;
  return who.submit(confirm, {}, { button });
}

test('bug 14: following verification_uri_complete approves nothing', async () => {
  const { device_code, user_code, verification_uri_complete } = await begin();
  for (const who of [id.browser(), browser, browser.copy()]) {
    for (let i = 0; i < 3; ++i) await who.get(verification_uri_complete);
    await who.get(`${verification_uri_complete}&decision=approve&csrf=x`);
  }
  assert.equal((await poll(device_code)).body.error, 'authorization_pending');
  // Nor does a form that was not shown to this browser, nor one step of the two alone.
  const stranger = id.browser();
  await id.authorize(stranger, app, {}, { user: 'bob' });
  const foreign = await (await stranger.get('/device'), stranger).submit(await browser.get('/device'), { user_code, decision: 'approve' });
  assert.equal(foreign.status, 403);
  const posted = await browser.request('POST', '/device', { fields: { user_code, decision: 'approve' }, headers: { origin: 'https://evil.example' } });
  assert.equal(posted.status, 403);
  const shown = await browser.submit(await browser.get(verification_uri_complete), {});
  assert.equal(shown.kind, 'device-confirm');
  assert.match(shown.text, /tv/);
  const signedOut = id.browser();
  const page = await signedOut.get(verification_uri_complete);
  assert.equal(page.kind, 'sign-in');
  const back = await id.signIn(signedOut, page, 'bob');
  assert.equal(back.kind, 'device-code');
  await browser.submit(shown, {}, { button: 'deny' });
});

test('bug 14: a code that was decided is decided, and a denied one gives nothing', async () => {
  const { device_code, user_code } = await begin();
  const confirm = await browser.submit(await browser.get('/device'), { user_code });
  await browser.submit(confirm, {}, { button: 'deny' });
  const late = await browser.submit(confirm, {}, { button: 'approve' });
  assert.ok(late.alert);
  assert.equal((await poll(device_code)).body.error, 'access_denied');
  assert.equal((await poll('x')).body.error, 'invalid_grant');
  assert.equal((await poll(user_code)).body.error, 'invalid_grant');
});

test('bug 14: guessing user codes is slowed, each guess counting though they come at once', async () => {
  const { user_code } = await begin();
  const guesser = id.browser();
  await id.authorize(guesser, app, {}, { user: 'bob' });
  const form = await guesser.get('/device');
  const letters = 'BCDFGHJKLMNPQRSTVWXZ';
  const guess = (i) => guesser.submit(form, { user_code: [...'abcdefgh'].map((_, n) => letters[(i * 7 + n * 3) % 20]).join('') });
  const answers = await atOnce(60, guess);
  const admitted = answers.filter(({ status }) => status !== 429).length;
  assert.ok(admitted <= 10, `${admitted} guesses were admitted`);
  for (const { headers } of answers.filter(({ status }) => status === 429)) assert.ok(Number(headers.get('retry-after')) >= 1);
  const right = await guesser.submit(form, { user_code });
  assert.equal(right.status, 429, 'the right one is not looked at meanwhile');
});

test('bug 14: whoever polls too fast is told to slow down, and gets no more by it', async () => {
  const { device_code, interval } = await begin();
  assert.equal(interval, 5);
  assert.equal((await poll(device_code)).body.error, 'authorization_pending');
  const hasty = await atOnce(5, () => poll(device_code));
  assert.ok(hasty.some(({ body }) => body.error === 'slow_down'));
  for (const { status, body } of hasty) {
    assert.equal(status, 400);
    assert.match(body.error, /^(slow_down|authorization_pending)$/);
  }
  for (const client of [otherTv, app]) assert.notEqual((await poll(device_code, client)).status, 200);
});

test('bug 39: of 20 parallel polls of an approved device code one is answered', async () => {
  // The guard of user codes is per network: a server of its own.
  const own = await IdentityServer.start();
  try {
    const client = own.addClient('tv', ['--public', '--grant', 'authorization_code', '--grant', 'refresh_token', '--grant', grant]);
    const who = own.browser();
    await own.complete(who, await who.get(own.authorizeUrl(client).url));
    const { body } = await own.post('/oauth2/device_authorization', client, { scope: 'openid profile' });
    const confirm = await who.submit(await who.get('/device'), { user_code: body.user_code });
    // 20 approvals of one page are one approval.
    const approvals = await atOnce(20, () => who.submit(confirm, {}, { button: 'approve' }));
    assert.equal(approvals.filter(({ alert }) => alert === undefined).length, 1);
    const answers = await atOnce(20, () => own.token(client, { grant_type: grant, device_code: body.device_code }));
    const won = answers.filter(({ status }) => status === 200);
    assert.equal(won.length, 1);
    for (const lost of answers.filter((answer) => answer !== won[0])) assert.equal(lost.body.error, 'invalid_grant');
    assert.equal((await own.userinfo(won[0].body.access_token)).status, 200);
  } finally {
    await own.remove();
  }
});

test('bug 39: of 20 parallel uses of a pushed request one is answered', async () => {
  const server = id.addClient('pusher', ['--first-party']);
  const fields = Object.fromEntries(id.authorizeUrl(server).url.searchParams);
  const { body } = await id.post('/oauth2/par', server, fields);
  const url = `/oauth2/authorize?${new URLSearchParams({ client_id: 'pusher', request_uri: body.request_uri })}`;
  const pages = await atOnce(20, () => browser.copy().request('GET', url));
  assert.equal(pages.filter(({ location }) => location?.searchParams.get('code')).length, 1);
  for (const page of pages.filter(({ location }) => !location)) assert.equal(page.status, 400);
  // Another client's is not there, and is not used up by asking.
  const again = await id.post('/oauth2/par', server, fields);
  const stolen = await browser.request('GET', `/oauth2/authorize?${new URLSearchParams({ client_id: 'app', request_uri: again.body.request_uri })}`);
  assert.equal(stolen.status, 400);
  assert.equal(stolen.location, undefined);
  const good = await browser.request('GET', `/oauth2/authorize?${new URLSearchParams({ client_id: 'pusher', request_uri: again.body.request_uri })}`);
  assert.ok(good.location.searchParams.get('code'));
});
