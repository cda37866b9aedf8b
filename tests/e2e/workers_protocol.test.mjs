// `muhur worker` against a second implementation of its protocol (lib/rogue_worker.mjs), and what stands on the
// wire between it and a server.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { IdentityServer, passwords } from './lib/identity.mjs';
import {
  hashCall, hchacha20, healthCall, openBox, readReply, sealBox, send, verifyCall, WorkerWire,
} from './lib/rogue_worker.mjs';
import { temporaryDirectory } from './lib/server.mjs';
import { metricsOf, newSecret, secretFile, signInByHttp, signInByImap, Tap, until, untilHealthy, withWorkers, Worker } from './lib/workers.mjs';
import { labelled } from './lib/workers_metrics.mjs';
import { rmSync } from 'node:fs';

const directory = temporaryDirectory();
const secret = newSecret();
const wire = new WorkerWire(secret);
let worker;
before(async () => {
  worker = await Worker.start({ directory, secret });
});
after(async () => {
  await worker?.stop();
  rmSync(directory, { recursive: true, force: true });
});

const verify = (record, password, options) => wire.request('/v1/verify', verifyCall({ record, password }), options);
async function ask(request, { wire: own = wire } = {}) {
  const reply = await send(worker.url, request);
  return { status: reply.status, ...readReply(own.openReply(request.nonce, reply.status, reply.headers, reply.body)) };
}
const refused = async (request) => {
  const { status, headers } = await send(worker.url, request);
  return { status, sealed: 'muhur-mac' in headers };
};
// From the test vectors of crypt_blowfish.
const bcrypt = { record: '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW', password: 'U*U' };

test('the second implementation is right: vectors of HChaCha20 and XChaCha20-Poly1305', () => {
  // draft-irtf-cfrg-xchacha-03, 2.2.1
  const key = Buffer.from('000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f', 'hex');
  const nonce = Buffer.from('000000090000004a0000000031415927', 'hex');
  assert.equal(hchacha20(key, nonce).toString('hex'), '82413b4227b27bfed30e42508a877d73a0f9e4d58a74a853c12ec41326d3ecdc');
  const box = sealBox(key, Buffer.from('text'), 'purpose');
  assert.equal(openBox(key, box, 'purpose').toString(), 'text');
  assert.throws(() => openBox(key, box, 'another'));
});

test('the worker verifies what the second implementation asks, and its replies are read by it', async () => {
  for (const [password, right] of [[bcrypt.password, true], ['U*V', false], ['', false]])
    assert.deepEqual(await ask(verify(bcrypt.record, password)), { status: 200, kind: 'verdict', right, kek: Buffer.alloc(0) }, password);
  const phc = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4';
  assert.equal((await ask(verify(phc, 'password'))).right, true);
  assert.equal((await ask(verify(phc, 'Password'))).right, false);
});

test('a record that it hashes for one server it verifies for another, with the same key', async () => {
  const made = await ask(wire.request('/v1/hash', hashCall({ password: 'geheim' })));
  assert.match(made.record, /^muhur\$argon2id\$m=8192,t=1\$/);
  const right = await ask(verify(made.record, 'geheim'));
  assert.equal(right.right, true);
  assert.equal(right.kek.length, 32);
  assert.deepEqual((await ask(verify(made.record, 'geheim'))).kek, right.kek);
  const wrong = await ask(verify(made.record, 'Geheim'));
  assert.equal(wrong.right, false);
  assert.notDeepEqual(wrong.kek, right.kek);
});

test('health is told to who has the secret', async () => {
  const told = await ask(wire.request('/v1/health', healthCall()));
  assert.equal(told.kind, 'health');
  assert.equal(told.threads, 2);
});

test('what is not signed, altered, for another path, or under another secret is refused unsealed', async () => {
  const good = verify(bcrypt.record, bcrypt.password);
  for (const field of ['muhur-time', 'muhur-nonce', 'muhur-mac']) {
    const { [field]: _, ...headers } = good.headers;
    assert.deepEqual(await refused({ ...good, headers }), { status: 401, sealed: false }, `without ${field}`);
    assert.deepEqual(await refused({ ...good, headers: { ...good.headers, [field]: 'AAAA' } }), { status: 401, sealed: false }, `another ${field}`);
  }
  assert.deepEqual(await refused({ ...good, path: '/v1/hash' }), { status: 401, sealed: false });
  for (let i = 0; i < 20; ++i) {
    const body = Buffer.from(good.body);
    body[(i * 7) % body.length] ^= 1 << i % 8;
    assert.deepEqual(await refused({ ...good, body }), { status: 401, sealed: false }, `byte ${i * 7}`);
  }
  const stranger = new WorkerWire(newSecret());
  assert.deepEqual(await refused(stranger.request('/v1/health', healthCall())), { status: 401, sealed: false });
  // The very request that all of these were made of is still good, and good once.
  assert.equal((await ask(good)).right, true);
  assert.equal((await ask(good)).status, 409);
});

test('times far off, another method, too much and nonsense are refused', async () => {
  for (const off of [-61_500, 61_500]) {
    const late = await ask(verify(bcrypt.record, bcrypt.password, { time: Date.now() + off }));
    assert.equal(late.status, 403);
    assert.match(late.what, /clock|before the worker started/);
  }
  const huge = { path: '/v1/verify', headers: {}, body: randomBytes(5_000) };
  assert.equal((await send(worker.url, huge)).status, 413);
  assert.equal((await fetch(new URL('/v1/verify', worker.url))).status, 405);
  assert.equal((await fetch(new URL('/v1/else', worker.url), { method: 'POST' })).status, 404);
  for (const plain of [Buffer.alloc(0), Buffer.of(1), Buffer.of(9, 9, 9), verifyCall({ record: 'x'.repeat(600), password: 'x' }),
    verifyCall({ record: bcrypt.record, password: 'x'.repeat(1_025) }), Buffer.concat([verifyCall(bcrypt), Buffer.of(0)]),
    verifyCall({ record: '$2x$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW', password: 'x' }),
    verifyCall({ record: '$argon2id$v=19$m=9999999,t=1,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4', password: 'x' })]) {
    const { status, kind } = await ask(wire.request('/v1/verify', plain));
    assert.deepEqual({ status, kind }, { status: 422, kind: 'error' }, plain.subarray(0, 60).toString('latin1'));
  }
});

test('/healthz says ok and no more; /metrics is well-formed and counts what was done and refused', async () => {
  const healthz = await fetch(new URL('/healthz', worker.url));
  assert.equal(healthz.status, 200);
  assert.equal(await healthz.text(), 'ok\n');
  const before = await metricsOf(worker.url);
  await ask(verify(bcrypt.record, bcrypt.password));
  await refused(verify(bcrypt.record, 'x', { nonce: 'short' }));
  const then = await metricsOf(worker.url);
  const grown = (name, labels) => (labelled(then, name, labels) ?? 0) - (labelled(before, name, labels) ?? 0);
  assert.equal(grown('muhur_worker_answered_total'), 1);
  assert.equal(grown('muhur_worker_refused_total'), 1);
  assert.equal(grown('muhur_password_hashes_total', { kind: 'bcrypt', where: 'local' }), 1);
  assert.ok(grown('muhur_password_hash_cpu_seconds_total') > 0);
  assert.ok(labelled(then, 'process_resident_memory_bytes') > 1 << 20);
});

test('between server and worker no password, key or record can be read, and a captured request cannot be used again', async () => {
  const tap = await Tap.start(worker.url);
  const id = await IdentityServer.start({
    settings: withWorkers({ workers: [tap], file: secretFile(directory, secret), fallback: false }),
  });
  try {
    await untilHealthy(id.issuer, tap);
    assert.equal((await signInByHttp(id, 'alice', passwords.alice)).result, 'ok');
    assert.equal((await signInByImap(id, 'bob', passwords.bob)).result, 'ok');
    assert.equal((await signInByHttp(id, 'alice', 'a guess that is wrong')).result, 'denied');
    const all = Buffer.concat([tap.sent, tap.received]);
    const needles = [passwords.alice, passwords.bob, 'a guess that is wrong', 'argon2id', 'alice', 'bob', 'example.org', secret];
    for (const needle of needles)
      for (const encoding of ['utf8', 'base64', 'hex', 'utf16le'])
        assert.equal(all.includes(Buffer.from(encoding === 'base64' || encoding === 'hex' ? Buffer.from(needle).toString(encoding) : needle,
          encoding === 'utf16le' ? 'utf16le' : 'utf8')), false, `${needle} as ${encoding}`);
    const verifications = tap.requests().filter(({ path }) => path === '/v1/verify');
    assert.equal(verifications.length, 3);
    // Whoever has the secret reads it: so it was there, and sealed.
    const opened = verifications.map(({ path, headers, body }) => wire.openRequest(path, headers, body).plain.toString('latin1'));
    assert.ok(opened.some((plain) => plain.includes(passwords.alice)), 'alice\'s password was sealed in one of them');
    for (const { path, headers, body } of tap.requests()) {
      const again = { path, headers: { 'muhur-time': headers['muhur-time'], 'muhur-nonce': headers['muhur-nonce'], 'muhur-mac': headers['muhur-mac'] }, body, nonce: headers['muhur-nonce'] };
      const reply = await ask(again);
      assert.deepEqual({ status: reply.status, kind: reply.kind }, { status: 409, kind: 'error' }, path);
    }
    const done = labelled(await metricsOf(id.issuer), 'muhur_password_hashes_total', { where: 'worker' });
    assert.ok(done >= 3, `${done} hashes by the worker`);
    assert.equal(labelled(await metricsOf(id.issuer), 'muhur_password_hashes_total', { where: 'local' }), 0, 'none here');
  } finally {
    await id.remove();
    await tap.stop();
  }
});

test('a worker that was started again takes no request signed before its start', async () => {
  const captured = verify(bcrypt.record, bcrypt.password);
  assert.equal((await ask(captured)).right, true);
  await worker.stop('SIGKILL');
  await worker.start();
  await until('the worker answers', () => fetch(new URL('/healthz', worker.url)).then(({ ok }) => ok, () => false));
  const again = await ask(captured);
  assert.equal(again.status, 403);
  assert.equal((await ask(verify(bcrypt.record, bcrypt.password))).right, true, 'a new request is taken');
});
