// `muhur demo`: an embedded default that needs nothing configured.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ImapFlow } from 'imapflow';
import { Imap } from './lib/imap.mjs';
import { Lmtp } from './lib/lmtp.mjs';
import { simpleMessage } from './lib/messages.mjs';
import { Process, temporaryDirectory } from './lib/server.mjs';

const directory = temporaryDirectory();
const data = join(directory, 'demo');
const plain = { settings: {} };
const start = (...more) => new Process(['demo', '--data', data, '--ports', '0', ...more], plain);
after(() => rmSync(directory, { recursive: true, force: true }));

test('with --json it prints exactly one line, with endpoints and accounts', async () => {
  const demo = start('--json');
  const ready = await demo.ready;
  for (const name of ['imap', 'imaps', 'lmtp']) {
    assert.equal(ready[name].host, '127.0.0.1');
    assert.ok(ready[name].port > 0);
  }
  assert.deepEqual(ready.users.map(({ address }) => address), ['alice@example.org', 'bob@example.org']);
  assert.equal(ready.admin.address, 'admin@example.org');
  const { code } = await demo.stop('SIGTERM');
  assert.equal(code, 0, demo.stderr);
  assert.equal(demo.stdout.trim().split('\n').length, 1);
  assert.equal(statSync(join(data, 'demo-credentials.json')).mode & 0o777, 0o600);
});

test('a second start keeps the accounts and delivers no sample again; SIGINT ends it', async () => {
  const demo = start('--json');
  const { users, imap } = await demo.ready;
  const kept = JSON.parse(readFileSync(join(data, 'demo-credentials.json')));
  assert.deepEqual(users, kept.users);
  const client = await Imap.login(imap, users[0].address, users[0].password);
  const subjects = (await client.everything('INBOX')).map(({ bytes }) => /^Message-ID: (.*)\r$/m.exec(bytes.toString())?.[1]);
  assert.ok(subjects.length >= 12, `alice has ${subjects.length} messages`);
  assert.equal(new Set(subjects).size, subjects.length, 'a message twice');
  client.close();
  assert.equal((await demo.stop('SIGINT')).code, 0);
});

test('the samples are shown by a real client as what they are', async () => {
  const demo = start('--json');
  const { users, imaps } = await demo.ready;
  const [{ address, password }] = users;
  const client = new ImapFlow({ host: imaps.host, port: imaps.port, secure: true, logger: false,
    tls: { rejectUnauthorized: false }, auth: { user: address, pass: password } });
  await client.connect();
  const lock = await client.getMailboxLock('INBOX');
  const all = [];
  for await (const message of client.fetch('1:*', { envelope: true, bodyStructure: true })) all.push(message);
  const subjects = all.map(({ envelope }) => envelope.subject);
  assert.ok(subjects.includes('회의 일정 변경 안내'));
  assert.ok(subjects.includes("İstanbul'da buluşalım mı?"));
  assert.ok(subjects.some((subject) => subject.includes('🎉 新年快乐')));
  const types = JSON.stringify(all.map(({ bodyStructure }) => bodyStructure));
  for (const type of ['multipart/signed', 'application/pkcs7-signature', 'text/calendar', 'message/rfc822',
    'multipart/related', 'multipart/alternative', 'application/pdf', 'image/png'])
    assert.ok(types.includes(`"${type}"`), `no ${type}`);
  const thread = all.filter(({ envelope }) => /Roof terrace on Friday/.test(envelope.subject));
  assert.equal(thread.length, 3);
  assert.equal(thread.filter(({ envelope }) => envelope.inReplyTo).length, 2);
  lock.release();
  await client.logout();
  await demo.stop();
});

test('mail that is sent to the demonstration arrives', async () => {
  const demo = start('--json');
  const { users, lmtp, imap } = await demo.ready;
  const sender = await Lmtp.open(lmtp);
  const [reply] = await sender.deliver({ to: ['bob+news@example.org'], message: simpleMessage({ id: 'to-bob' }) });
  assert.equal(reply.code, 250, reply.text);
  await sender.quit();
  const client = await Imap.login(imap, users[1].address, users[1].password);
  const inbox = await client.everything('INBOX');
  assert.ok(inbox.some(({ bytes }) => bytes.includes('X-Test-Id: to-bob')));
  client.close();
  await demo.stop();
});

test('without --json a person reads how to connect', async () => {
  const demo = new Process(['demo', '--data', data, '--ports', '0'], plain);
  demo.ready.catch(() => {});
  for (let i = 0; i < 100 && !demo.stdout.includes('Ctrl-C'); ++i) await new Promise((wake) => setTimeout(wake, 50));
  for (const word of ['Thunderbird', 'curl', 'mbsync', 'swaks', 'alice@example.org', 'admin@example.org'])
    assert.ok(demo.stdout.includes(word), `${word} is missing in:\n${demo.stdout}`);
  assert.equal((await demo.stop()).code, 0);
});

test('a port in use is named, with what to do', async () => {
  const first = start('--json');
  const { imap } = await first.ready;
  const second = new Process(
    ['demo', '--data', join(directory, 'other'), '--ports', String(imap.port), '--json'], plain);
  const { code } = await second.exited;
  assert.equal(code, 1);
  assert.match(second.stderr, new RegExp(String(imap.port)));
  assert.match(second.stderr, /--ports/);
  await first.stop();
});

test('a second server on the same data is refused with the directory named', async () => {
  const first = start('--json');
  await first.ready;
  const second = start('--json');
  assert.equal((await second.exited).code, 1);
  assert.ok(second.stderr.includes(data), second.stderr);
  await first.stop();
});

test('a directory with other data is not taken for a demonstration', async () => {
  const other = join(directory, 'real');
  const { muhur } = await import('./lib/server.mjs');
  assert.equal(muhur(['init', other, '--domain', 'example.org']).code, 0);
  assert.equal(muhur(['user', 'add', 'zoe@example.org', '--data', other], { input: 'a password\n' }).code, 0);
  const demo = new Process(['demo', '--data', other, '--ports', '0', '--json'], plain);
  assert.equal((await demo.exited).code, 1);
  assert.match(demo.stderr, /not a demonstration/);
  assert.ok(!existsSync(join(other, 'demo-credentials.json')));
});
