// The sign-in load against the demonstration that it is made for: every step right, every figure known.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { muhur, Process, root, temporaryDirectory } from './lib/server.mjs';

const directory = temporaryDirectory();
let demo, url;

before(async () => {
  const accounts = ['--bench-accounts', '8', '--bench-password-cost', '4'];
  demo = new Process(['demo', '--json', '--ports', '0', '--data', join(directory, 'data'), ...accounts]);
  url = (await demo.ready).http;
});
after(async () => {
  await demo.stop();
  rmSync(directory, { recursive: true, force: true });
});

function load(more = [], { accounts = 8, until = ['--iterations', '40'] } = {}) {
  const users = ['--users', '4', '--accounts', String(accounts), ...until, '--ramp-up', '0', '--warm-up', '0'];
  return muhur(['bench', 'login', '--url', url, '--json', '-', ...users, ...more]);
}

test('the bench accounts sign in, and the server tells what that took', async () => {
  const done = load(['--pid', String(demo.child.pid)]);
  assert.equal(done.code, 0, done.stderr);
  const figures = JSON.parse(done.stdout);
  assert.deepEqual(figures.error_texts, {});
  assert.equal(figures.errors, 0);
  assert.ok(figures.iterations >= 40);
  for (const step of ['authorize', 'login', 'token', 'introspect', 'refresh'])
    for (const key of ['p50_ms', 'p95_ms', 'p99_ms']) assert.ok(figures.steps[step][key] > 0, `${step} ${key}`);
  for (const key of ['server_cpu_ms_per_iteration', 'server_hash_cpu_ms_per_iteration', 'generator_cpu_ms_per_iteration'])
    assert.equal(typeof figures[key], 'number', key);
  assert.ok(figures.commits > 0 && figures.fsyncs >= figures.commits, 'commits are durable');
  assert.ok(figures.hashes >= 36, `${figures.hashes} hashes`);
});

test('the profile that says all of it is the one that holds without', () => {
  const done = load(['--profile', join(root, 'bench/login/profiles/muhur.json')]);
  assert.equal(done.code, 0, done.stderr);
  assert.equal(JSON.parse(done.stdout).errors, 0);
});

test('a wrong account is an error that is told, not a sign-in', () => {
  const done = load([], { accounts: 9, until: ['--seconds', '1'] });
  const figures = JSON.parse(done.stdout);
  assert.ok(figures.errors > 0);
  // At first refused, then (429) made to wait, as guesses at one account are.
  for (const text of Object.keys(figures.error_texts)) assert.match(text, /^login: status (200|429), the sign-in form again$/);
});

test('wrong usage is told with its remedy', () => {
  assert.equal(muhur(['bench', 'login']).code, 2);
  const https = muhur(['bench', 'login', '--url', 'https://127.0.0.1:1']);
  assert.equal(https.code, 1);
  assert.match(https.stderr, /plain HTTP/);
});
