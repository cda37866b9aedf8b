// `muhur worker test`: each worker's health and rate, as a table and as JSON, and an exit code for scripts.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { RogueWorker, verdict } from './lib/rogue_worker.mjs';
import { binary, muhur, temporaryDirectory } from './lib/server.mjs';
import { metricsOf, newSecret, secretFile, Worker } from './lib/workers.mjs';
import { labelled } from './lib/workers_metrics.mjs';

const directory = temporaryDirectory();
const secret = newSecret();
const file = secretFile(directory, secret);
let worker, rogue;
before(async () => {
  worker = await Worker.start({ directory, secret });
  rogue = await RogueWorker.start({ secret, honest: worker.url });
});
after(async () => {
  await rogue?.stop();
  await worker?.stop('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
});

// Not synchronously: the rogue answers in this process.
function workerTest(...args) {
  return new Promise((done) => {
    const child = spawn(binary, ['worker', 'test', '--secret-file', file, '--seconds', '1', ...args]);
    let stdout = '', stderr = '';
    child.stdout.on('data', (text) => (stdout += text));
    child.stderr.on('data', (text) => (stderr += text));
    child.once('close', (code) => done({ code, stdout, stderr }));
  });
}

test('a well worker: health, threads, round trip and rate; exit code 0', async () => {
  const before = labelled(await metricsOf(worker.url), 'muhur_password_hashes_total', { kind: 'bcrypt', where: 'local' });
  const { code, stdout, stderr } = await workerTest('--json', worker.url);
  assert.equal(code, 0, stderr);
  const [told, ...more] = JSON.parse(stdout);
  assert.deepEqual(more, []);
  assert.equal(told.url, worker.url);
  assert.equal(told.healthy, true);
  assert.equal(told.threads, 2);
  for (const number of ['round_trip_ms', 'hashes_per_s', 'p50_ms', 'p95_ms']) assert.ok(told[number] > 0, `${number}: ${told[number]}`);
  assert.ok(told.p95_ms >= told.p50_ms);
  assert.ok(!('error' in told));
  const done = labelled(await metricsOf(worker.url), 'muhur_password_hashes_total', { kind: 'bcrypt', where: 'local' }) - before;
  assert.ok(done >= told.hashes_per_s / 2, `it did compute them: ${done} for ${told.hashes_per_s}/s`);
  const table = await workerTest(worker.url);
  assert.equal(table.code, 0);
  assert.match(table.stdout, /^WORKER +HEALTH +THREADS +ROUND TRIP +RATE +P50 +P95\n/);
  assert.match(table.stdout, /\nhttp:\S+ +ok +2 +[\d.]+ ms +[\d.]+\/s +\d+ ms +\d+ ms\n$/);
});

test('one of several is not well: each is told apart, exit code 1', async () => {
  const gone = await RogueWorker.start({ secret, honest: worker.url });
  await gone.stop();
  const stranger = await RogueWorker.start({ secret: newSecret(), honest: worker.url });
  const liar = await RogueWorker.start({ secret, honest: worker.url });
  liar.onVerify = (call, answer) => answer.send(answer.sealed(verdict(false)));
  const all = [worker.url, gone.url, stranger.url, liar.url, rogue.url];
  try {
    const { code, stdout } = await workerTest('--json', ...all);
    assert.equal(code, 1);
    const told = JSON.parse(stdout);
    assert.deepEqual(told.map(({ url }) => url), all);
    assert.deepEqual(told.map(({ healthy }) => healthy), [true, false, false, false, true]);
    assert.match(told[1].error, /refused/i);
    assert.match(told[2].error, /same secret/);
    assert.match(told[3].error, /right password for a wrong one/);
    assert.ok(stranger.calls.length === 0, 'no password went to one with another secret');
    const table = await workerTest(...all);
    assert.equal(table.code, 1);
    assert.equal(table.stdout.trim().split('\n').length, 6);
  } finally {
    await stranger.stop();
    await liar.stop();
  }
});

test('wrong use is told as such', async () => {
  assert.notEqual((await workerTest()).code, 0, 'no worker named');
  assert.equal((await workerTest('ftp://127.0.0.1:1')).code, 1);
  writeFileSync(join(directory, 'short'), 'short\n');
  chmodSync(join(directory, 'short'), 0o600);
  for (const [args, says] of [
    [['worker', 'test', '--secret-file', join(directory, 'short'), worker.url], /32 bytes/],
    [['worker', 'test', '--secret-file', join(directory, 'none'), worker.url], /none/],
    [['worker', '--listen', '127.0.0.1:0', '--secret-file', join(directory, 'short')], /32 bytes/],
    [['worker', '--listen', '127.0.0.1:0'], /--secret-file/],
    [['worker', '--listen', '127.0.0.1:0', '--secret-file', file, '--tls-cert', 'x'], /--tls-key/],
    [['worker', '--listen', '127.0.0.1:0', '--secret-file', file, '--metrics-network', 'everywhere'], /everywhere/],
    [['worker', '--listen', `127.0.0.1:${worker.port}`, '--secret-file', file], /in use/],
  ]) {
    const { code, stderr } = muhur(args);
    assert.notEqual(code, 0, args.join(' '));
    assert.match(stderr, says);
    assert.ok(!stderr.includes(secret));
  }
  chmodSync(file, 0o644);
  const readable = await workerTest(worker.url);
  chmodSync(file, 0o600);
  assert.equal(readable.code, 1, 'a secret that others can read');
  assert.match(readable.stderr, /600|others/);
});

test('over TLS: the certificate is verified', async () => {
  const { spawnSync } = await import('node:child_process');
  const [cert, key] = [join(directory, 'cert.pem'), join(directory, 'key.pem')];
  const made = spawnSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', key,
    '-out', cert, '-days', '3', '-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1']);
  assert.equal(made.status, 0, made.stderr?.toString());
  const secure = await Worker.start({ directory, secret, args: ['--tls-cert', cert, '--tls-key', key] });
  const url = secure.url.replace('http:', 'https:');
  try {
    const trusted = await workerTest('--json', '--ca-file', cert, url);
    assert.equal(trusted.code, 0, trusted.stdout);
    const untrusted = await workerTest('--json', url);
    assert.equal(untrusted.code, 1);
    assert.match(JSON.parse(untrusted.stdout)[0].error, /certificate|TLS/i);
    const plain = await workerTest('--json', secure.url);
    assert.equal(plain.code, 1, 'plain HTTP to it');
  } finally {
    await secure.stop();
  }
});
