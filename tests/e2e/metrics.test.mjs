// /metrics of the real server, read by a strict reader of Prometheus' text format (lib/workers_metrics.mjs).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { IdentityServer, passwords } from './lib/identity.mjs';
import { RogueWorker } from './lib/rogue_worker.mjs';
import { metricsOf, newSecret, secretFile, signInByHttp, signInByImap, until, untilHealthy, withWorkers } from './lib/workers.mjs';
import { family, labelled, parseMetrics } from './lib/workers_metrics.mjs';

let id, app;
before(async () => {
  id = await IdentityServer.start({ settings: { MUHUR_SIGN_IN_FREE_GUESSES: '1000' } });
  app = id.addClient('app');
});
after(() => id?.remove());

const now = () => metricsOf(id.issuer);
async function growth(work) {
  const before = await now();
  await work();
  const then = await now();
  return (name, labels) => (labelled(then, name, labels) ?? 0) - (labelled(before, name, labels) ?? 0);
}

test('the reader refuses what a scraper would refuse or misread', () => {
  const good = '# HELP a_total Help\n# TYPE a_total counter\na_total{x="1"} 1\na_total{x="a\\"b\\\\c\\nd"} 2.5e-05\n';
  assert.equal(labelled(parseMetrics(good), 'a_total', { x: 'a"b\\c\nd' }), 2.5e-5);
  const bad = {
    'no end of the last line': good.slice(0, -1),
    'a series twice': good + 'a_total{x="1"} 3\n',
    'a family twice': good + good,
    'no TYPE': '# HELP a_total Help\na_total 1\n',
    'no HELP': '# TYPE a_total counter\na_total 1\n',
    'another family': good + 'b_total 1\n',
    'a quote in a value': '# HELP a Help\n# TYPE a gauge\na{x="a"b"} 1\n',
    'a label twice': '# HELP a Help\n# TYPE a gauge\na{x="1",x="2"} 1\n',
    'no number': '# HELP a Help\n# TYPE a gauge\na 1,5\n',
    'a name with a dash': '# HELP a-b Help\n# TYPE a-b gauge\na-b 1\n',
    'a counter called otherwise': '# HELP a Help\n# TYPE a counter\na 1\n',
    'buckets that sink': '# HELP h Help\n# TYPE h histogram\nh_bucket{le="1"} 2\nh_bucket{le="+Inf"} 1\nh_sum 1\nh_count 1\n',
    'no +Inf': '# HELP h Help\n# TYPE h histogram\nh_bucket{le="1"} 1\nh_sum 1\nh_count 1\n',
  };
  for (const [what, text] of Object.entries(bad)) assert.throws(() => parseMetrics(text), undefined, what);
});

test('everything is well-formed, and the content type is the format\'s', async () => {
  await id.tokens(app);
  const response = await fetch(new URL('/metrics', id.issuer));
  assert.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  assert.equal(response.headers.get('cache-control'), 'no-store');
  const families = parseMetrics(await response.text());
  for (const name of ['muhur_http_requests_total', 'muhur_connections', 'muhur_sign_ins_total', 'muhur_password_waiting',
    'muhur_commits_total', 'process_cpu_seconds_total'])
    assert.ok(family(families, name), name);
  for (const { name } of families) assert.match(name, /^(muhur|process)_[a-z0-9_]+$/);
});

test('the process is described under the names of Prometheus\' libraries, as the kernel tells', async () => {
  const metrics = await now();
  const { pid } = id.installation.server.child;
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const resident = Number(/VmRSS:\s+(\d+) kB/.exec(status)[1]) * 1024;
  const told = labelled(metrics, 'process_resident_memory_bytes');
  assert.ok(Math.abs(told - resident) < 16 << 20, `${told} and ${resident}`);
  assert.ok(labelled(metrics, 'process_cpu_seconds_total') > 0);
  assert.ok(labelled(metrics, 'process_open_fds') > 10);
  assert.ok(labelled(metrics, 'process_max_fds') >= labelled(metrics, 'process_open_fds'));
  assert.equal(labelled(metrics, 'process_threads'), Number(/Threads:\s+(\d+)/.exec(status)[1]));
  const started = labelled(metrics, 'process_start_time_seconds');
  assert.ok(started <= Date.now() / 1000 + 1 && started > Date.now() / 1000 - 600, `${started}`);
  const later = labelled(await now(), 'process_cpu_seconds_total');
  assert.ok(later >= labelled(metrics, 'process_cpu_seconds_total'), 'CPU time never shrinks');
});

test('password hashes are counted by kind and place, with the CPU time that they took', async () => {
  const grown = await growth(async () => {
    await Promise.all([1, 2, 3].map(() => signInByHttp(id, 'alice', passwords.alice)));
    await signInByImap(id, 'bob', 'wrong');
  });
  assert.equal(grown('muhur_password_hashes_total', { kind: 'argon2id', where: 'local' }), 4);
  assert.equal(grown('muhur_password_hashes_total', { where: 'worker' }), 0);
  assert.equal(grown('muhur_password_batches_total'), 4);
  assert.equal(grown('muhur_password_wait_seconds'), 4);
  const cpu = grown('muhur_password_hash_cpu_seconds_total');
  assert.ok(cpu > 0 && cpu < grown('process_cpu_seconds_total') + 0.05, `${cpu} s of hashing`);
  const metrics = await now();
  for (const name of ['muhur_password_waiting', 'muhur_password_running']) assert.equal(labelled(metrics, name), 0, name);
  for (const reason of ['full', 'late', 'ended']) assert.equal(labelled(metrics, 'muhur_password_refused_total', { reason }), 0);
});

test('requests are counted by route and class, never by what was asked for', async () => {
  const grown = await growth(async () => {
    await id.json('/oauth2/jwks');
    await fetch(new URL('/no/such/page?secret-1', id.issuer));
    await fetch(new URL('/oauth2/token', id.issuer), { method: 'DELETE' });
    await id.token(app, { grant_type: 'refresh_token', refresh_token: 'unknown-secret-2' });
    await fetch(new URL('/device?user_code=SECRET-3', id.issuer));
  });
  assert.equal(grown('muhur_http_requests_total', { method: 'GET', route: '/oauth2/jwks', status: '2xx' }), 1);
  assert.equal(grown('muhur_http_requests_total', { route: 'other', status: '4xx' }), 2);
  assert.equal(grown('muhur_http_requests_total', { method: 'POST', route: '/oauth2/token', status: '4xx' }), 1);
  assert.equal(grown('muhur_http_request_seconds', { route: '/oauth2/jwks' }), 1);
  assert.equal(grown('muhur_token_requests_total', { grant: 'refresh_token', result: 'refused' }), 1);
  const text = await (await fetch(new URL('/metrics', id.issuer))).text();
  assert.ok(!/secret/i.test(text), 'nothing of what was asked for');
  assert.ok(!/alice|bob|example\.org/.test(text), 'nobody is named');
});

test('sign-ins, sessions and grants are counted by result', async () => {
  const grown = await growth(async () => {
    const { refresh_token } = await id.tokens(app, { scope: 'openid offline_access', prompt: 'consent' });
    await id.token(app, { grant_type: 'refresh_token', refresh_token });
    await signInByHttp(id, 'alice', 'wrong');
  });
  assert.equal(grown('muhur_sign_ins_total', { result: 'ok' }), 1);
  assert.equal(grown('muhur_sign_ins_total', { result: 'denied' }), 1);
  assert.equal(grown('muhur_sessions_begun_total'), 1);
  assert.equal(grown('muhur_token_requests_total', { grant: 'authorization_code', result: 'ok' }), 1);
  assert.equal(grown('muhur_token_requests_total', { grant: 'refresh_token', result: 'ok' }), 1);
});

test('commits and fsyncs grow with what is written', async () => {
  const grown = await growth(() => id.tokens(app));
  assert.ok(grown('muhur_commits_total') >= 2, `${grown('muhur_commits_total')} commits`);
  assert.ok(grown('muhur_fsyncs_total') >= 1, `${grown('muhur_fsyncs_total')} fsyncs`);
});

test('the certificate\'s end is told, and told anew when another is read', async () => {
  const expiry = labelled(await now(), 'muhur_certificate_expiry_timestamp_seconds');
  assert.ok(expiry > Date.now() / 1000, `${expiry}`);
  const doctor = JSON.parse(id.run(['doctor', '--json']).stdout).checks.find(({ name }) => name === 'certificate');
  assert.ok(doctor.detail.includes(new Date(expiry * 1000).toISOString().slice(0, 10)), doctor.detail);
  const { data, server } = id.installation;
  const made = spawnSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes',
    '-keyout', join(data, 'tls/key.pem'), '-out', join(data, 'tls/certificate.pem'), '-days', '3', '-subj', '/CN=localhost']);
  assert.equal(made.status, 0, made.stderr?.toString());
  server.child.kill('SIGHUP');
  await until('the new certificate is told', async () =>
    Math.abs(labelled(await now(), 'muhur_certificate_expiry_timestamp_seconds') - Date.now() / 1000 - 3 * 86_400) < 3_600);
});

test('a worker\'s URL stands in a label, escaped', async () => {
  const secret = newSecret();
  const rogue = await RogueWorker.start({ secret });
  const { url } = rogue;
  // What no sane configuration has must still not break the format.
  rogue.url = `${url}/a"b`;
  await id.restart({ settings: withWorkers({ workers: [rogue], file: secretFile(id.installation.directory, secret) }) });
  try {
    const metrics = await now();
    const worker = family(metrics, 'muhur_worker_healthy')?.samples.map(({ labels }) => labels.worker) ?? [];
    for (const name of worker) assert.equal(name, rogue.url);
    rogue.url = url;
    await id.restart({ settings: withWorkers({ workers: [rogue], file: secretFile(id.installation.directory, secret) }) });
    await untilHealthy(id.issuer, rogue);
    const stats = JSON.parse(id.run(['stats', '--json']).stdout);
    assert.deepEqual(stats.passwords.workers.map(({ url: shown, healthy }) => ({ shown, healthy })), [{ shown: url, healthy: true }]);
    assert.equal(stats.passwords.pool.waiting, 0);
    const table = id.run(['stats']).stdout;
    assert.match(table, /^PASSWORDS +HEALTH +WAITING/m);
    assert.ok(table.includes(url));
  } finally {
    await rogue.stop();
    await id.restart({ settings: { MUHUR_PASSWORDS_WORKERS: '' } });
  }
});

test('to others than this machine and the networks named it is not there', async () => {
  // A proxy of ours on this machine speaks for a visitor from elsewhere.
  await id.restart({ settings: { MUHUR_HTTP_TRUSTED_PROXIES: '127.0.0.0/8', MUHUR_HTTP_METRICS_NETWORKS: '198.51.100.0/24' } });
  const from = (address) => fetch(new URL('/metrics', id.issuer), { headers: { 'x-forwarded-for': address } });
  assert.equal((await from('192.0.2.7')).status, 404);
  assert.equal((await from('198.51.100.7')).status, 200);
  assert.equal((await from('2001:db8::1')).status, 404);
});
