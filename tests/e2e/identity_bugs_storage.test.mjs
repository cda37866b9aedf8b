// Bug classes of identity providers about storage: what cannot be written is not said to be done, times are
// times, and a deleted user leaves nothing.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync, appendFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { metric, nowSeconds } from './lib/attack.mjs';
import { claimsOf, IdentityServer, passwords } from './lib/identity.mjs';
import { Installation, temporaryDirectory } from './lib/server.mjs';

const running = [];
after(async () => {
  for (const id of running) await id.installation.stop('SIGKILL');
  // What was killed lets go of its files a moment later.
  for (const directory of mounts)
    for (let i = 0; i < 100 && spawnSync('umount', [directory]).status !== 0; ++i) await new Promise((done) => setTimeout(done, 50));
  for (const id of running) await id.remove();
});

// A file system of its own, which only root can make.
const mounts = [];
const mount = (size, directory) => spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=0755`, 'tmpfs', directory]).status === 0;
const probe = mkdtempSync(join(tmpdir(), 'muhur-e2e-'));
const canMount = mount('1m', probe);
if (canMount) spawnSync('umount', [probe]);
rmSync(probe, { recursive: true });

async function onSmallDisk(size) {
  const directory = temporaryDirectory();
  assert.ok(mount(size, directory));
  mounts.push(directory);
  const id = new IdentityServer();
  const { admin, ...users } = passwords;
  id.installation = new Installation(users, { directory, settings: { MUHUR_HTTP_LISTEN: '127.0.0.1:0', MUHUR_SIGN_IN_FREE_GUESSES: '1000' } });
  running.push(id);
  await id.begin();
  // To the last page, and again after whatever was freed meanwhile.
  id.fill = () => {
    const ballast = join(directory, 'ballast');
    writeFileSync(ballast, '', { flag: 'a' });
    for (const piece of [1 << 20, 1 << 16, 4096, 512, 64, 1])
      for (let full = false; !full;) {
        const before = statSync(ballast).size;
        try { appendFileSync(ballast, Buffer.alloc(piece)); } catch { full = true; }
        if (statSync(ballast).size === before) full = true;
      }
  };
  id.free = () => rmSync(join(directory, 'ballast'), { force: true });
  return id;
}

test('bugs 24 and 34: on a full disk nothing is said to be done that was not, and no password is wrong', { skip: !canMount && 'cannot mount a small file system' }, async () => {
  const id = await onSmallDisk('24m');
  const app = id.addClient('app', ['--public', '--first-party', '--post-logout-uri', 'https://app.example.org/bye']);
  const server = id.addClient('server', ['--first-party', '--may-introspect']);
  const browser = id.browser();
  const kept = [];
  for (let i = 0; i < 40; ++i) kept.push(await id.tokens(app, { browser }));
  const hint = kept[0].id_token;
  const active = async (token) => (await id.introspect(server, token)).body.active;
  id.fill();

  // Revocation: 200 means revoked, and nothing else is told than 503. What room the WAL still has is used up first.
  let refused = 0;
  for (const { access_token } of kept) {
    id.fill();
    const answer = await id.post('/oauth2/revoke', app, { token: access_token });
    if (answer.status === 200) {
      assert.equal(await active(access_token), false);
      continue;
    }
    assert.equal(answer.status, 503, answer.text);
    assert.equal(answer.body.error, 'temporarily_unavailable');
    assert.ok(Number(answer.headers.get('retry-after')) >= 1);
    assert.equal(await active(access_token), true);
    if (++refused === 5) break;
  }
  assert.ok(refused > 0, 'the disk never filled up');

  // Logout: never "signed out" to who is not.
  const logout = await browser.request('GET', `/oauth2/logout?${new URLSearchParams({ id_token_hint: hint, post_logout_redirect_uri: 'https://app.example.org/bye' })}`);
  assert.equal(logout.status, 503, logout.title);
  assert.equal(logout.location, undefined);
  assert.deepEqual(logout.setCookies, []);
  assert.ok(logout.headers.get('retry-after'));
  const sessions = await browser.get('/account/sessions');
  assert.match(sessions.text, /alice@example\.org/, 'who is there is there');
  const ended = await browser.submit(sessions, {}, { form: sessions.forms.find(({ action }) => action.endsWith('/oauth2/logout')) });
  assert.equal(ended.status, 503);

  // Signing in: the right password is never wrong, a wrong one never an outage.
  const unavailable = [];
  for (let i = 0; i < 30; ++i) {
    const who = id.browser();
    const page = await who.get(id.authorizeUrl(app).url);
    assert.equal(page.kind, 'sign-in');
    const right = await id.signIn(who, page);
    assert.ok(right.location || right.status === 503, `${right.status} ${right.alert}`);
    if (right.status === 503) {
      assert.ok(Number(right.headers.get('retry-after')) >= 1);
      unavailable.push([who, page]);
    }
    const wrong = await id.signIn(who, page, 'alice', 'a wrong password');
    if (wrong.status !== 400) assert.equal(wrong.kind, 'sign-in');
  }
  assert.ok(unavailable.length > 0);
  const pending = await id.authorize(browser, app);
  if (!pending.parameters.code) assert.equal(pending.page.status, 503);
  const refresh = kept.at(-1).refresh_token;
  const rotated = await id.token(app, { grant_type: 'refresh_token', refresh_token: refresh });
  if (rotated.status !== 200) assert.equal(rotated.status, 503, rotated.text);

  // Room again: what was refused is done at the second try, and nothing was used up by the first.
  id.free();
  if (rotated.status !== 200) assert.equal((await id.token(app, { grant_type: 'refresh_token', refresh_token: refresh })).status, 200);
  const [who, page] = unavailable.at(-1);
  assert.ok((await id.signIn(who, page)).location?.searchParams.get('code'), 'the page was used up by a failure');
  const again = await browser.request('GET', `/oauth2/logout?${new URLSearchParams({ id_token_hint: claimsOf(hint).sid && hint, post_logout_redirect_uri: 'https://app.example.org/bye' })}`);
  assert.equal(again.location?.href, 'https://app.example.org/bye');
  assert.equal((await browser.get('/account/sessions')).kind, 'sign-in');
  assert.equal(await active(kept.at(-1).access_token), false);
  assert.ok((await metric(id.issuer, 'muhur_sign_ins_total', 'result="ok"')) > 30);
});

test('bug 54: a user whom everything refers to is deleted at once, and the name begins anew', async () => {
  const id = await IdentityServer.start();
  running.push(id);
  const app = id.addClient('app', ['--public', '--post-logout-uri', 'https://app.example.org/bye', '--grant', 'authorization_code', '--grant', 'refresh_token', '--grant', 'urn:ietf:params:oauth:grant-type:device_code']);
  const server = id.addClient('server', ['--may-introspect', '--first-party']);
  const browser = id.browser();
  const tokens = await id.tokens(app, { user: 'bob', browser, scope: 'openid profile email offline_access' });
  const code = await id.authorize(browser, app, {}, { user: 'bob' });
  const device = (await id.post('/oauth2/device_authorization', app, { scope: 'openid' })).body;
  const confirm = await browser.submit(await browser.get('/device'), { user_code: device.user_code });
  await browser.submit(confirm, {}, { button: 'approve' });
  await id.signIn(id.browser(), await id.browser().get(id.authorizeUrl(app).url), 'bob', 'wrong');
  const { sub } = claimsOf(tokens.id_token);
  id.installation.must(['user', 'delete', 'bob@example.org', '--yes']);
  id.installation.must(['user', 'add', 'bob@example.org', '--name', 'Another'], { input: `${passwords.bob}\n` });
  assert.equal((await browser.get('/account/sessions')).kind, 'sign-in');
  assert.equal((await id.userinfo(tokens.access_token)).status, 401);
  for (const token of [tokens.access_token, tokens.refresh_token]) assert.equal((await id.introspect(server, token)).body.active, false);
  assert.equal((await id.exchange(app, code)).body.error, 'invalid_grant');
  assert.notEqual((await id.token(app, { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: device.device_code })).status, 200);
  // Another person under the old name: another subject, asked for consent anew.
  const stranger = id.browser();
  const page = await id.signIn(stranger, await stranger.get(id.authorizeUrl(app).url), 'bob');
  assert.equal(page.kind, 'consent');
  const fresh = await id.tokens(app, { user: 'bob' });
  assert.notEqual(claimsOf(fresh.id_token).sub, sub);
});

test('bug 55: times are the same in every time zone', async () => {
  for (const TZ of ['Pacific/Kiritimati', 'Pacific/Niue', 'Asia/Kathmandu']) {
    const id = await IdentityServer.start({ settings: { TZ } });
    running.push(id);
    const app = id.addClient('app', ['--public', '--first-party']);
    const server = id.addClient('server', ['--may-introspect', '--first-party']);
    const browser = id.browser();
    const before = nowSeconds() - 1;
    const tokens = await id.tokens(app, { browser });
    const claims = claimsOf(tokens.id_token);
    for (const time of [claims.iat, claims.auth_time]) assert.ok(time >= before && time <= nowSeconds() + 1, TZ);
    assert.equal(claims.exp - claims.iat, 600);
    const seen = (await id.introspect(server, tokens.access_token)).body;
    assert.equal(seen.exp - seen.iat, tokens.expires_in);
    const page = await browser.get('/account/sessions');
    const shown = Date.parse(/<time datetime="([^"]+)"/.exec(page.text)[1]) / 1000;
    assert.ok(shown >= before && shown <= nowSeconds() + 1, TZ);
    await id.restart();
    assert.equal((await id.introspect(server, tokens.access_token)).body.active, true);
    assert.equal((await id.token(app, { grant_type: 'refresh_token', refresh_token: tokens.refresh_token })).status, 200);
  }
});
