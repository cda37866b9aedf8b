// Real workers that are killed, stopped and started again in the middle of sign-ins: everybody with the right
// password gets in, nobody else does, and the worker comes back by itself.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { IdentityServer, passwords } from './lib/identity.mjs';
import { quick, temporaryDirectory } from './lib/server.mjs';
import {
  metricsOf, newSecret, secretFile, signInByHttp, signInByImap, until, untilHealthy, untilLeftOut, withWorkers, Worker,
} from './lib/workers.mjs';
import { labelled } from './lib/workers_metrics.mjs';

const directory = temporaryDirectory();
const secret = newSecret();
const file = secretFile(directory, secret);
// Hashes that take a while: what is killed is killed in the midst of them.
const costly = { MUHUR_PASSWORDS_ARGON2_MEMORY: '24MiB', MUHUR_PASSWORDS_ARGON2_PASSES: '2' };
let first, second, id;
before(async () => {
  first = await Worker.start({ directory, secret });
  second = await Worker.start({ directory, secret });
  id = await IdentityServer.start({ settings: { ...costly, ...withWorkers({ workers: [first, second], file, deadline: '9s' }) } });
});
after(async () => {
  await id?.remove();
  await first?.stop('SIGKILL');
  await second?.stop('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
});

const people = ['alice', 'bob', 'admin'];
let turn = 0;
// A stream of sign-ins, right and wrong, by HTTP and IMAP, `abreast` at a time, until told to end. Each is judged.
function signInsUntil(done, { abreast = 6 } = {}) {
  const counts = { ok: 0, denied: 0 };
  const one = async () => {
    while (!done()) {
      const n = turn++;
      const user = people[n % people.length];
      const isRight = n % 4 !== 3;
      const signIn = n % 2 ? signInByHttp : signInByImap;
      const { result } = await signIn(id, user, isRight ? passwords[user] : `wrong ${n}`);
      assert.equal(result, isRight ? 'ok' : 'denied', `${signIn.name} of ${user}`);
      counts[result] += 1;
    }
  };
  return Promise.all(Array.from({ length: abreast }, one)).then(() => counts);
}

const outstanding = async (worker) => labelled(await metricsOf(id.issuer), 'muhur_worker_outstanding', { worker: worker.url });
const failures = async (worker) => labelled(await metricsOf(id.issuer), 'muhur_worker_failures_total', { worker: worker.url }) ?? 0;

async function both(fallback) {
  if (!first.process) await first.start();
  if (!second.process) await second.start();
  await id.restart({ settings: withWorkers({ workers: [first, second], file, fallback, deadline: '9s' }) });
  await untilHealthy(id.issuer, first);
  await untilHealthy(id.issuer, second);
}

for (const fallback of [true, false]) {
  const here = fallback ? 'with the own pool behind' : 'with nobody but the other worker behind';
  test(`a worker killed in the midst of sign-ins costs nobody anything, ${here}`, async () => {
    await both(fallback);
    for (let round = 0; round < (quick ? 2 : 4); ++round) {
      let ending = false;
      const going = signInsUntil(() => ending);
      await until('the worker is at work', async () => (await outstanding(first)) > 0);
      await first.stop('SIGKILL');
      await untilLeftOut(id.issuer, first);
      await first.start();
      await untilHealthy(id.issuer, first);
      ending = true;
      const { ok, denied } = await going;
      assert.ok(ok > 0 && denied > 0, `round ${round}: ${ok} ok, ${denied} denied`);
    }
    assert.ok((await failures(first)) > 0, 'some were at it when it was killed');
    if (!fallback)
      assert.equal(labelled(await metricsOf(id.issuer), 'muhur_password_batches_total'), 0, 'nothing went through the own pool');
  });

  test(`a worker that is stopped (SIGSTOP) hangs, is left out, and comes back when it goes on, ${here}`, async () => {
    await both(fallback);
    let ending = false;
    const going = signInsUntil(() => ending);
    await until('the worker is at work', async () => (await outstanding(first)) > 0);
    first.signal('SIGSTOP');
    await untilLeftOut(id.issuer, first);
    const while1 = await signInByHttp(id, 'alice', passwords.alice);
    assert.equal(while1.result, 'ok');
    first.signal('SIGCONT');
    await untilHealthy(id.issuer, first);
    ending = true;
    const { ok, denied } = await going;
    assert.ok(ok > 0 && denied > 0, `${ok} ok, ${denied} denied`);
    assert.ok((await failures(first)) > 0);
  });
}

test('both workers killed: the own pool does it, and they come back', async () => {
  await both(true);
  let ending = false;
  const going = signInsUntil(() => ending);
  await until('both are at work', async () => (await outstanding(first)) + (await outstanding(second)) > 1);
  await Promise.all([first.stop('SIGKILL'), second.stop('SIGKILL')]);
  await untilLeftOut(id.issuer, first);
  await untilLeftOut(id.issuer, second);
  const own = async () => labelled(await metricsOf(id.issuer), 'muhur_password_batches_total');
  const before = await own();
  await until('the own pool hashes', async () => (await own()) > before + 3);
  await first.start();
  await second.start();
  await untilHealthy(id.issuer, first);
  await untilHealthy(id.issuer, second);
  ending = true;
  await going;
});

test('a worker that is told to end (SIGTERM) answers what it was asked, and ends with 0', async () => {
  await both(false);
  let ending = false;
  const going = signInsUntil(() => ending);
  await until('the worker is at work', async () => (await outstanding(first)) > 0);
  const { code } = await first.stop('SIGTERM');
  assert.equal(code, 0);
  await first.start();
  await untilHealthy(id.issuer, first);
  ending = true;
  await going;
});

test('a worker that was started with another secret is left out, and taken back with the right one', async () => {
  await both(true);
  await first.stop('SIGKILL');
  secretFile(directory, newSecret());
  await first.start();
  secretFile(directory, secret);
  await untilLeftOut(id.issuer, first);
  const refused = async () => labelled(await metricsOf(first.url), 'muhur_worker_refused_total') ?? 0;
  await until('it was checked', async () => (await refused()) > 0);
  assert.equal((await signInByHttp(id, 'alice', passwords.alice)).result, 'ok');
  assert.equal((await signInByImap(id, 'bob', 'wrong')).result, 'denied');
  assert.equal(labelled(await metricsOf(first.url), 'muhur_password_hashes_total', { where: 'local' }), 0, 'it computed nothing');
  await first.stop('SIGKILL');
  await first.start();
  await untilHealthy(id.issuer, first);
});
