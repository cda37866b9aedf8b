// SIGHUP: the certificate and what of the configuration can change under a server that serves.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import * as tls from 'node:tls';
import { Imap } from './lib/imap.mjs';
import { Installation } from './lib/server.mjs';

const password = 'correct horse 7';
let installation, original;
before(async () => {
  installation = new Installation({ alice: password }, { settings: { MUHUR_HTTP_LISTEN: '127.0.0.1:0', MUHUR_LOG_LEVEL: undefined } });
  delete installation.settings.MUHUR_LOG_LEVEL;
  original = readFileSync(installation.config, 'utf8');
  await installation.start();
});
after(() => installation?.remove());

// The log lines that a SIGHUP brought, up to the one that says it is over.
async function reload(last) {
  const from = installation.server.stderr.length;
  installation.server.child.kill('SIGHUP');
  for (let i = 0; i < 500; ++i) {
    const text = installation.server.stderr.slice(from);
    if (last.test(text)) return text;
    await pause(20);
  }
  throw new Error(`no ${last} in the log: ${installation.server.stderr.slice(from)}`);
}
// The file that `muhur init` made, with these keys in it: { 'http.hosts': '[]' }.
function configure(values) {
  let text = original;
  for (const [name, value] of Object.entries(values)) {
    const [section, key] = name.split('.');
    const line = new RegExp(`(\\n\\[${section}\\]\\n[^]*?\\n)#?${key} = .*`);
    assert.match(text, line);
    text = text.replace(line, `$1${key} = ${value}`);
  }
  writeFileSync(installation.config, text);
}
const handshake = ({ host, port }, options) => new Promise((done, failed) => {
  const socket = tls.connect({ host, port, rejectUnauthorized: false, ...options });
  socket.once('secureConnect', () => {
    done({ protocol: socket.getProtocol(), fingerprint: socket.getPeerCertificate().fingerprint256, socket });
    if (!options?.keep) socket.destroy();
  });
  socket.once('error', failed);
});
// What this client would speak if it were let: old protocols, with the ciphers that they need.
const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' };
const metrics = async () => (await fetch(`http://${installation.endpoints.http.host}:${installation.endpoints.http.port}/metrics`)).status;

test('bug 33: after the certificate was read again, TLS 1.1 is refused as before', async () => {
  const { imaps } = installation.endpoints;
  const files = ['certificate', 'key'].map((name) => join(installation.data, 'tls', `${name}.pem`));
  // The client is able to: a server that allows it gets TLS 1.1.
  const lax = tls.createServer({ cert: readFileSync(files[0]), key: readFileSync(files[1]), ...old }).listen(0, '127.0.0.1');
  await new Promise((listening) => lax.once('listening', listening));
  assert.equal((await handshake({ host: '127.0.0.1', port: lax.address().port }, old)).protocol, 'TLSv1.1');
  lax.close();

  const before = await handshake(imaps);
  await assert.rejects(handshake(imaps, old), /protocol version|alert|ECONNRESET/);
  const kept = await handshake(imaps, { keep: true });
  const [cert, key] = [join(installation.directory, 'new.pem'), join(installation.directory, 'new-key.pem')];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '30',
    '-subj', '/CN=renewed', '-keyout', key, '-out', cert], { stdio: 'ignore' });
  copyFileSync(cert, files[0]);
  copyFileSync(key, files[1]);
  await reload(/certificate read again/);
  const after = await handshake(imaps);
  assert.notEqual(after.fingerprint, before.fingerprint);
  assert.match(after.protocol, /TLSv1\.[23]/);
  await assert.rejects(handshake(imaps, old), /protocol version|alert|ECONNRESET/);
  await assert.rejects(handshake(imaps, { maxVersion: 'TLSv1.2', ciphers: 'AES128-SHA' }), /handshake|alert|ECONNRESET/);
  // Who was connected stays so.
  kept.socket.write('a NOOP\r\n');
  await new Promise((done) => kept.socket.on('data', (data) => /a OK/.test(data) && done()));
  kept.socket.destroy();
  // A certificate that cannot be used changes nothing.
  writeFileSync(files[0], 'no certificate');
  const checked = installation.run(['config', 'check']);
  assert.equal(checked.code, 1);
  assert.match(checked.stderr, /certificate\.pem/);
  await reload(/certificate stays as it was/);
  assert.equal((await handshake(imaps)).fingerprint, after.fingerprint);
  copyFileSync(cert, files[0]);
  await reload(/certificate read again/);
});

test('settings that can change do, the others are named', async () => {
  assert.equal(await metrics(), 200);
  configure({ 'http.trusted_proxies': '["127.0.0.1"]', 'limits.connections': '1', 'limits.message': '"20MiB"', 'branding.name': '"Other"' });
  assert.equal(installation.run(['config', 'check']).code, 0);
  const log = await reload(/needs a restart key=limits\.message/);
  assert.match(log, /has changed key=http\.trusted_proxies/);
  assert.match(log, /has changed key=limits\.connections/);
  assert.match(log, /needs a restart key=branding\.name/);
  // Behind a proxy that may speak for others nobody is on this machine: /metrics is not for them.
  assert.equal(await metrics(), 404);
  const first = await Imap.open(installation.endpoints.imap);
  assert.match((await Imap.open(installation.endpoints.imap)).greeting, /BYE \[UNAVAILABLE\]/);
  first.close();

  configure({ 'log.level': '"debug"' });
  const back = await reload(/has changed key=log\.level/);
  assert.match(back, /has changed key=http\.trusted_proxies/);
  assert.equal(await metrics(), 200);
  const session = await Imap.login(installation.endpoints.imap, 'alice@example.org', password);
  session.close();
});

test('a bad file is told beforehand, and changes nothing', async () => {
  configure({ 'http.trusted_proxies': '["10.0.0.0/99"]' });
  const checked = installation.run(['config', 'check']);
  assert.equal(checked.code, 1);
  assert.match(checked.stderr, /muhur\.toml:\d+.*trusted_proxies/);
  const log = await reload(/configuration stays as it was/);
  assert.match(log, /muhur\.toml:\d+.*trusted_proxies/);
  assert.equal(await metrics(), 200);
  appendFileSync(installation.config, 'nonsense');
  await reload(/configuration stays as it was/);
  configure({});
  await reload(/has changed key=log\.level/);
});
