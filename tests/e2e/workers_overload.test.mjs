// More sign-ins than can be hashed: so many wait as the configuration says, the next are told to come again, and
// whatever needs no hash goes on meanwhile.
//
// What is hashed is held up on purpose, by a worker that answers when it is told to, or by records that cost
// seconds; nothing here depends on how fast the machine is.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { IdentityServer, passwords } from './lib/identity.mjs';
import { RogueWorker } from './lib/rogue_worker.mjs';
import { temporaryDirectory } from './lib/server.mjs';
import { metricsOf, newSecret, secretFile, signInByHttp, signInByImap, until, untilHealthy, withWorkers, Worker } from './lib/workers.mjs';
import { labelled } from './lib/workers_metrics.mjs';

const directory = temporaryDirectory();
const secret = newSecret();
const file = secretFile(directory, secret);
let worker, rogue, id, app;
before(async () => {
  worker = await Worker.start({ directory, secret });
  rogue = await RogueWorker.start({ secret, honest: worker.url });
  id = await IdentityServer.start({ settings: { MUHUR_SIGN_IN_FREE_GUESSES: '1000', MUHUR_SIGN_IN_COUNT_NETWORKS: 'false' } });
  app = id.addClient('app', ['--public']);
});
after(async () => {
  await id?.remove();
  await rogue?.stop();
  await worker?.stop('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
});

// What must not wait behind passwords. Each is awaited: it has to come back while the hashes are held up.
async function othersGoOn(tokens) {
  const { refresh_token } = tokens;
  const refreshed = await id.token(app, { grant_type: 'refresh_token', refresh_token });
  assert.equal(refreshed.status, 200);
  tokens.refresh_token = refreshed.body.refresh_token;
  assert.equal((await id.userinfo(refreshed.body.access_token)).status, 200);
  assert.equal((await id.json('/oauth2/jwks')).status, 200);
  assert.equal((await id.json('/.well-known/openid-configuration')).status, 200);
  for (const path of ['/healthz', '/readyz', '/metrics']) assert.equal((await fetch(new URL(path, id.issuer))).status, 200, path);
  assert.equal((await id.browser().get('/account/sessions')).kind, 'sign-in', 'the page to sign in');
}

test('the queue is bounded: beyond it 503 with Retry-After and UNAVAILABLE at once, and who waits is served', async () => {
  const tokens = await id.tokens(app, { scope: 'openid offline_access', prompt: 'consent' });
  // One thread, two places; and each hash takes long: made at this cost, and so verified.
  const costly = { MUHUR_PASSWORDS_ARGON2_MEMORY: '192MiB', MUHUR_PASSWORDS_ARGON2_PASSES: '4' };
  const slowUser = (name) => id.run(['user', 'add', `${name}@example.org`, '--json'], { input: 'a costly password\n' });
  await id.restart({ settings: { ...costly, MUHUR_PASSWORDS_THREADS: '1', MUHUR_PASSWORDS_MAX_WAITING: '2', MUHUR_PASSWORDS_UPGRADE: 'false' } });
  for (const name of ['costly1', 'costly2', 'costly3']) assert.equal(slowUser(name).code, 0);
  const before = await metricsOf(id.issuer);
  const gauge = async (name) => labelled(await metricsOf(id.issuer), name);
  const order = [];
  const slow = ['costly1', 'costly2', 'costly3'].map((user) =>
    signInByHttp(id, user, 'a costly password').then(({ result }) => (order.push(user), result)));
  await until('one runs and two wait', async () => (await gauge('muhur_password_waiting')) === 2 && (await gauge('muhur_password_running')) === 1);
  const refused = await Promise.all([
    signInByHttp(id, 'alice', passwords.alice), signInByHttp(id, 'alice', 'wrong'), signInByHttp(id, 'bob', passwords.bob),
    signInByImap(id, 'alice', passwords.alice), signInByImap(id, 'bob', 'wrong'),
  ]);
  await othersGoOn(tokens);
  order.push('others');
  for (const { result, page, retryAfter } of refused) {
    assert.equal(result, 'unavailable');
    if (page) assert.match(retryAfter, /^[1-9]\d*$/);
  }
  assert.deepEqual(await Promise.all(slow), ['ok', 'ok', 'ok'], 'who waited was served');
  // Which of the three is last is nobody's business: they come by ways of their own.
  assert.notEqual(order.at(-1), 'others', `others went on while hashes waited: ${order}`);
  const metrics = await metricsOf(id.issuer);
  assert.equal(labelled(metrics, 'muhur_password_refused_total', { reason: 'full' }) - labelled(before, 'muhur_password_refused_total', { reason: 'full' }), 5);
  assert.equal(labelled(metrics, 'muhur_sign_ins_total', { result: 'unavailable' }), 5);
  assert.equal(labelled(metrics, 'muhur_sign_ins_total', { result: 'denied' }) ?? 0, 0, 'nobody was called wrong');
});

test('one account under many guesses that take long keeps no other account from signing in', async () => {
  await id.restart({
    settings: {
      MUHUR_PASSWORDS_ARGON2_MEMORY: '8MiB', MUHUR_PASSWORDS_ARGON2_PASSES: '1', MUHUR_PASSWORDS_THREADS: '2', MUHUR_PASSWORDS_MAX_WAITING: '1000',
      ...withWorkers({ workers: [rogue], file, deadline: '60s' }), MUHUR_SIGN_IN_FREE_GUESSES: '5',
    },
  });
  await untilHealthy(id.issuer, rogue);
  const held = [];
  rogue.onVerify = async (call, answer) => {
    if (call.password.startsWith('guess')) await new Promise((go) => held.push(go));
    answer.send(await answer.honest());
  };
  const guesses = Array.from({ length: 30 }, (_, n) => signInByHttp(id, 'alice', `guess ${n}`));
  await until('as many guesses as are free are under way', () => held.length === 5);
  assert.equal((await signInByHttp(id, 'bob', passwords.bob)).result, 'ok');
  assert.equal((await signInByImap(id, 'bob', passwords.bob)).result, 'ok');
  assert.equal(held.length, 5, 'no more than are free');
  held.forEach((go) => go());
  const answers = await Promise.all(guesses);
  assert.equal(answers.filter(({ result }) => result === 'denied').length, 5);
  for (const { result, status } of answers) if (result !== 'denied') assert.equal(status, 429, result);
  assert.equal(held.length, 5, 'the others were refused unhashed');
});

test('hashes spill over to the own pool when the worker\'s lanes are taken, and from there when it is full', async () => {
  await id.restart({ settings: { MUHUR_PASSWORDS_MAX_WAITING: '1', MUHUR_SIGN_IN_FREE_GUESSES: '1000' } });
  await untilHealthy(id.issuer, rogue);
  const held = [];
  rogue.onVerify = async (call, answer) => {
    await new Promise((go) => held.push(go));
    answer.send(await answer.honest());
  };
  let answered = 0;
  const many = Array.from({ length: 60 }, () => signInByHttp(id, 'bob', passwords.bob).then(({ result }) => (answered += 1, result)));
  // The rogue says that it has 8 threads of four lanes.
  await until('its lanes are taken, and the rest was hashed here', () => held.length >= 32 && held.length + answered === 60);
  assert.ok(answered > 0);
  held.splice(0).forEach((go) => go());
  const late = setInterval(() => held.splice(0).forEach((go) => go()), 10);
  const results = await Promise.all(many).finally(() => clearInterval(late));
  assert.deepEqual([...new Set(results)], ['ok']);
});
