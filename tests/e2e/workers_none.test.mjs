// All workers are away and the server may not hash: nobody is let in, nobody is called wrong, and nothing counts
// against anybody.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { Imap } from './lib/imap.mjs';
import { IdentityServer, passwords } from './lib/identity.mjs';
import { RogueWorker } from './lib/rogue_worker.mjs';
import { temporaryDirectory } from './lib/server.mjs';
import { metricsOf, newSecret, secretFile, signInByHttp, signInByImap, untilHealthy, untilLeftOut, withWorkers, Worker } from './lib/workers.mjs';
import { labelled } from './lib/workers_metrics.mjs';

const directory = temporaryDirectory();
const secret = newSecret();
const file = secretFile(directory, secret);
let worker, rogue, id;
before(async () => {
  worker = await Worker.start({ directory, secret });
  rogue = await RogueWorker.start({ secret, honest: worker.url });
  id = await IdentityServer.start({
    settings: withWorkers({
      workers: [worker, rogue], file, fallback: false, deadline: '2s',
      more: { MUHUR_SIGN_IN_FREE_GUESSES: '3' },
    }),
  });
  await untilHealthy(id.issuer, worker);
  await untilHealthy(id.issuer, rogue);
});
after(async () => {
  await id?.remove();
  await rogue?.stop();
  await worker?.stop('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
});

function isHonestRefusal(answer, how) {
  assert.equal(answer.result, 'unavailable', how);
  if (answer.page) {
    assert.equal(answer.status, 503, how);
    assert.match(answer.retryAfter, /^[1-9]\d*$/, `${how}: Retry-After`);
    assert.equal(answer.page.kind, 'sign-in', 'the form is there again');
    assert.ok(!/wrong|do not match|not correct/i.test(answer.page.alert), answer.page.alert);
  }
}

const gone = {
  killed: async () => {
    await worker.stop('SIGKILL');
    rogue.onVerify = (call, answer) => answer.reset();
  },
  hung: async () => {
    if (worker.process) worker.signal('SIGSTOP');
    rogue.onVerify = () => {};
  },
  lying: async () => {
    if (worker.process) worker.signal('SIGSTOP');
    rogue.onVerify = (call, answer) => answer.send({ body: 'right!' });
  },
  full: async () => {
    if (worker.process) worker.signal('SIGSTOP');
    rogue.onVerify = (call, answer) => answer.send({ status: 503, headers: { 'retry-after': '1' }, body: 'full' });
  },
};

for (const [how, leave] of Object.entries(gone)) {
  test(`all workers ${how} and no fallback: 503 with Retry-After and UNAVAILABLE, never "wrong password", nothing counted`, async () => {
    await leave();
    const deniedBefore = labelled(await metricsOf(id.issuer), 'muhur_sign_ins_total', { result: 'denied' }) ?? 0;
    // More tries than wrong guesses are free, with right and wrong passwords alike: of them nothing is known.
    const unknown = signInByHttp(id, 'nobody', 'whatever');
    await Promise.all([1, 2, 3, 4, 5, 6].map(async (n) => {
      isHonestRefusal(await signInByHttp(id, 'alice', n % 2 ? passwords.alice : 'wrong'), `alice by HTTP, ${n}`);
      isHonestRefusal(await signInByImap(id, 'alice', n % 2 ? passwords.alice : 'wrong'), `alice by IMAP, ${n}`);
    }));
    isHonestRefusal(await unknown, 'an unknown address');
    const metrics = await metricsOf(id.issuer);
    assert.equal(labelled(metrics, 'muhur_sign_ins_total', { result: 'denied' }) ?? 0, deniedBefore);
    assert.equal(labelled(metrics, 'muhur_password_hashes_total', { where: 'local' }), 0, 'nothing was hashed here');
    // Back again: alice gets in at once, for nothing counted against her.
    rogue.onVerify = undefined;
    if (worker.process) worker.signal('SIGCONT');
    else await worker.start();
    await untilHealthy(id.issuer, worker);
    await untilHealthy(id.issuer, rogue);
    assert.equal((await signInByHttp(id, 'alice', passwords.alice)).result, 'ok');
    assert.equal((await signInByImap(id, 'alice', passwords.alice)).result, 'ok');
  });
}

test('an IMAP connection that was told UNAVAILABLE may try again on the same connection', async () => {
  await worker.stop('SIGKILL');
  rogue.onVerify = (call, answer) => answer.reset();
  const client = await Imap.open(id.endpoints.imap);
  for (let i = 0; i < 5; ++i) {
    const { status, text } = await client.command(`LOGIN "alice@example.org" "${passwords.alice}"`);
    assert.equal(status, 'NO');
    assert.match(text, /^\[UNAVAILABLE\]/);
  }
  rogue.onVerify = undefined;
  await worker.start();
  await untilHealthy(id.issuer, worker);
  const { status, text } = await client.command(`LOGIN "alice@example.org" "${passwords.alice}"`);
  assert.equal(status, 'OK', text);
  client.close();
});

test('sessions, tokens and keys do not need a worker', async () => {
  const app = id.addClient('app', ['--public']);
  const browser = id.browser();
  const tokens = await id.tokens(app, { browser, scope: 'openid offline_access', prompt: 'consent' });
  await worker.stop('SIGKILL');
  rogue.onVerify = (call, answer) => answer.reset();
  rogue.onHealth = (call, answer) => answer.reset();
  await untilLeftOut(id.issuer, worker);
  await untilLeftOut(id.issuer, rogue);
  isHonestRefusal(await signInByHttp(id, 'bob', passwords.bob), 'a new sign-in');
  const refreshed = await id.token(app, { grant_type: 'refresh_token', refresh_token: tokens.refresh_token });
  assert.equal(refreshed.status, 200);
  assert.equal((await id.userinfo(refreshed.body.access_token)).status, 200);
  assert.equal((await id.json('/oauth2/jwks')).status, 200);
  for (const path of ['/healthz', '/readyz']) assert.equal((await fetch(new URL(path, id.issuer))).status, 200, path);
  const again = await id.authorize(browser, app, { scope: 'openid' });
  assert.ok(again.parameters.code, 'single sign-on goes on');
});
