// A worker that misbehaves, in each way that it can: nobody is let in who should not be, whoever should be gets in
// by the server's own pool, and the worker is left out and taken back by itself.
//
// Four sign-ins, right and wrong, by HTTP and by IMAP, are at the worker at the same time before it answers the
// first: so each of them meets the misbehaviour.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { IdentityServer, passwords } from './lib/identity.mjs';
import { errorReply, health, RogueWorker, verdict, WorkerWire } from './lib/rogue_worker.mjs';
import { temporaryDirectory } from './lib/server.mjs';
import {
  metricsOf, newSecret, secretFile, signInByHttp, signInByImap, until, untilHealthy, untilLeftOut, withWorkers, Worker,
} from './lib/workers.mjs';
import { labelled } from './lib/workers_metrics.mjs';

const directory = temporaryDirectory();
const secret = newSecret();
const file = secretFile(directory, secret);
const foreign = new WorkerWire(newSecret());
const right = verdict(true, Buffer.alloc(32, 7));
let worker, rogue, id;
before(async () => {
  worker = await Worker.start({ directory, secret });
  rogue = await RogueWorker.start({ secret, honest: worker.url });
  id = await IdentityServer.start({ settings: withWorkers({ workers: [rogue], file }) });
});
after(async () => {
  await id?.remove();
  await rogue?.stop();
  await worker?.stop();
  rmSync(directory, { recursive: true, force: true });
});

// Lets `count` calls come before any of them goes on.
function gate(count) {
  let waiting = 0, open;
  const opened = new Promise((resolve) => (open = resolve));
  return () => {
    if (++waiting === count) open();
    return opened;
  };
}

const results = async (signIns) => (await Promise.all(signIns)).map(({ result }) => result);
const four = () => results([
  signInByHttp(id, 'alice', passwords.alice), signInByHttp(id, 'bob', 'not the password of bob'),
  signInByImap(id, 'bob', passwords.bob), signInByImap(id, 'admin', 'not that of admin either'),
]);

// The worker true again, and taken back. What is counted from here on: grown(metric).
let counts;
const countsNow = async () => {
  const metrics = await metricsOf(id.issuer);
  const worker = { worker: rogue.url };
  return {
    calls: labelled(metrics, 'muhur_worker_calls_total', worker) ?? 0,
    failures: labelled(metrics, 'muhur_worker_failures_total', worker) ?? 0,
    believed: labelled(metrics, 'muhur_password_hashes_total', { where: 'worker' }),
    here: labelled(metrics, 'muhur_password_hashes_total', { where: 'local' }),
  };
};
async function fresh() {
  rogue.onVerify = undefined;
  await untilHealthy(id.issuer, rogue);
  rogue.calls = [];
  counts = await countsNow();
}
async function grown() {
  const now = await countsNow();
  return Object.fromEntries(Object.entries(now).map(([name, value]) => [name, value - counts[name]]));
}
// A request on a kept connection that is closed before any answer may come once more: it is the same one.
const asked = () => new Set(rogue.calls.map(({ nonce }) => nonce)).size;

test('a true worker behind the second implementation is believed', async () => {
  await fresh();
  assert.deepEqual(await four(), ['ok', 'denied', 'ok', 'denied']);
  assert.equal(asked(), 4);
  assert.deepEqual(await grown(), { calls: 4, failures: 0, believed: 4, here: 0 });
});

const bent = (text) => (text[0] === 'A' ? 'B' : 'A') + text.slice(1);
const misdeeds = {
  'says right with a MAC that is wrong': (call, answer) => {
    const reply = answer.sealed(right);
    answer.send({ ...reply, headers: { 'muhur-mac': bent(reply.headers['muhur-mac']) } });
  },
  'says right without any MAC': (call, answer) => answer.send({ ...answer.sealed(right), headers: {} }),
  'says right in plain': (call, answer) => answer.send({ body: right }),
  'says right under another secret': (call, answer) => answer.send(answer.sealed(right, { wire: foreign })),
  'says right, for another request': (call, answer) => answer.send(answer.sealed(right, { nonce: call.nonce.split('').reverse().join('') })),
  'says right, signed for another status': (call, answer) => answer.send({ ...answer.sealed(right, { status: 500 }), status: 200 }),
  'says right with a body that was altered': (call, answer) => {
    const reply = answer.sealed(right);
    reply.body[reply.body.length - 1] ^= 1;
    answer.send(reply);
  },
  'sends the sealed question back as the answer': (call, answer) => answer.send({ headers: { 'muhur-mac': call.headers['muhur-mac'] }, body: call.body }),
  'answers a question that was not asked': (call, answer) => answer.send(answer.sealed(health())),
  'answers with a verdict cut short': (call, answer) => answer.send(answer.sealed(right.subarray(0, 3))),
  'answers with a verdict and more': (call, answer) => answer.send(answer.sealed(Buffer.concat([right, right]))),
  'answers 200 and nothing': (call, answer) => answer.send({ body: '' }),
  'answers 500 from a proxy in between': (call, answer) => answer.send({ status: 500, body: '<h1>oh dear</h1>' }),
  'answers 401, as one with another secret': (call, answer) => answer.send({ status: 401, body: 'no' }),
  'answers with an error of its own': (call, answer) => answer.send(answer.sealed(errorReply(14, 'broken'), { status: 500 })),
  'says that it is full': (call, answer) => answer.send(answer.sealed(errorReply(6, 'full'), { status: 503 })),
  'sends garbage': (call, answer) => answer.raw(Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 89) % 256))),
  'sends garbage behind a good status line': (call, answer) => answer.raw('HTTP/1.1 200 OK\r\n\0\0\xff: \r\r\n\n\r\n\r\n'),
  'sends a body without end': (call, answer) => {
    answer.response.writeHead(200, { 'muhur-mac': answer.sealed(right).headers['muhur-mac'] });
    const more = Buffer.alloc(64 * 1024, 65);
    const pour = () => {
      while (!answer.response.destroyed && answer.response.write(more)) { /* as much as is taken */ }
    };
    answer.response.on('drain', pour);
    pour();
  },
  'claims a body of a terabyte': (call, answer) => answer.raw('HTTP/1.1 200 OK\r\nContent-Length: 1099511627776\r\n\r\nx', { close: false }),
  'closes in the middle of its answer': (call, answer) => answer.raw('HTTP/1.1 200 OK\r\nContent-Length: 100\r\nMuhur-Mac: abc\r\n\r\nhalf'),
  'closes without a word': (call, answer) => answer.raw(''),
  'resets the connection': (call, answer) => answer.reset(),
  'answers twice': (call, answer) => {
    const { headers, body } = answer.sealed(right, { wire: foreign });
    const one = `HTTP/1.1 200 OK\r\nMuhur-Mac: ${headers['muhur-mac']}\r\nContent-Length: ${body.length}\r\n\r\n`;
    answer.raw(Buffer.concat([Buffer.from(one), body, Buffer.from(one), body]), { close: false });
  },
  'hangs': () => {},
  'sends one byte and hangs': (call, answer) => answer.raw('H', { close: false }),
};

for (const [name, misdeed] of Object.entries(misdeeds)) {
  test(`a worker that ${name} lets nobody in and keeps nobody out`, async () => {
    await fresh();
    const together = gate(4);
    rogue.onVerify = async (call, answer) => {
      await together();
      await misdeed(call, answer);
    };
    assert.deepEqual(await four(), ['ok', 'denied', 'ok', 'denied']);
    assert.equal(asked(), 4, 'each of them was at the worker');
    assert.deepEqual(await grown(), { calls: 0, failures: 4, believed: 0, here: 4 });
    // It is given another chance by itself, and is believed when it is true again.
    rogue.onVerify = undefined;
    await untilHealthy(id.issuer, rogue);
    assert.equal((await signInByHttp(id, 'bob', passwords.bob)).result, 'ok');
    assert.equal(asked(), 5);
    assert.equal((await grown()).believed, 1);
  });
}

test('a worker that repeats an earlier true answer is not believed', async () => {
  await fresh();
  let kept;
  rogue.onVerify = async (call, answer) => {
    const reply = await answer.honest();
    if (call.password === passwords.alice) kept ??= reply;
    answer.send(reply);
  };
  assert.equal((await signInByHttp(id, 'alice', passwords.alice)).result, 'ok');
  assert.ok(kept, 'the true answer to alice\'s password');
  const together = gate(2);
  rogue.onVerify = async (call, answer) => {
    await together();
    answer.send(kept);
  };
  assert.deepEqual(await results([signInByHttp(id, 'alice', 'a wrong one'), signInByImap(id, 'alice', 'another')]), ['denied', 'denied']);
  assert.equal(asked(), 3);
  await untilLeftOut(id.issuer, rogue);
});

test('a worker that answers after the deadline is too late, and what it says then counts for nobody', async () => {
  await fresh();
  const late = [];
  rogue.onVerify = (call, answer) => late.push(() => answer.send(answer.sealed(right)));
  assert.deepEqual(await four(), ['ok', 'denied', 'ok', 'denied']);
  assert.equal(late.length, 4);
  late.forEach((answer) => answer());
  rogue.onVerify = undefined;
  await untilHealthy(id.issuer, rogue);
  assert.deepEqual(await four(), ['ok', 'denied', 'ok', 'denied']);
});

test('a worker that is slow and true is waited for', async () => {
  await fresh();
  rogue.onVerify = async (call, answer) => {
    await new Promise((wake) => setTimeout(wake, 500));
    answer.send(await answer.honest());
  };
  assert.deepEqual(await four(), ['ok', 'denied', 'ok', 'denied']);
  assert.deepEqual(await grown(), { calls: 4, failures: 0, believed: 4, here: 0 });
});

test('even one that has the secret and lies lets nobody in whose record is ours: the key does not open', async () => {
  await fresh();
  rogue.onVerify = (call, answer) => answer.send(answer.sealed(right));
  for (const signIn of [signInByHttp, signInByImap]) {
    const { result } = await signIn(id, 'bob', 'not the password of bob');
    assert.notEqual(result, 'ok', signIn.name);
  }
  assert.equal(asked(), 2);
});

test('one with another secret is told no password', async () => {
  const stranger = await RogueWorker.start({ secret: newSecret(), honest: worker.url });
  let asked = 0; // by whatever request
  const seen = [];
  stranger.server.prependListener('request', (request) => {
    asked += 1;
    seen.push(request.url);
  });
  await id.restart({ settings: withWorkers({ workers: [stranger], file }) });
  try {
    assert.deepEqual(await four(), ['ok', 'denied', 'ok', 'denied']);
    await until('it was checked', () => asked > 0);
    assert.deepEqual(await four(), ['ok', 'denied', 'ok', 'denied']);
    assert.deepEqual([...new Set(seen)], ['/v1/health']);
  } finally {
    await stranger.stop();
    Object.assign(id.installation.settings, withWorkers({ workers: [rogue], file }));
  }
});
