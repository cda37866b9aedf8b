// Wrong is loud, and safe: refusals, a full disk, a read-only directory, damaged and foreign files.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, copyFileSync, openSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Imap } from './lib/imap.mjs';
import { Lmtp } from './lib/lmtp.mjs';
import { simpleMessage, testId } from './lib/messages.mjs';
import { Installation, Process, muhur, temporaryDirectory, testSettings } from './lib/server.mjs';

const password = 'right password';
const users = { alice: password, bob: password, dora: password };
const installations = [];
after(async () => {
  for (const installation of installations) await installation.remove();
});
const install = (options) => {
  const installation = new Installation(users, options);
  installations.push(installation);
  return installation;
};
const address = (name) => `${name}@example.org`;
const mailboxFile = (installation, name) => {
  const list = JSON.parse(installation.must(['user', 'list', '--json']).stdout);
  return join(installation.data, 'mail', list.find((user) => user.address === address(name)).mailbox);
};
const deliverOne = async (endpoint, name, id) => {
  const sender = await Lmtp.open(endpoint);
  const [reply] = await sender.deliver({ to: [address(name)], message: simpleMessage({ id }) });
  await sender.quit();
  return reply;
};
const readIds = async (endpoint, name) => {
  const client = await Imap.login(endpoint, address(name), password);
  const ids = (await client.everything('INBOX')).map(({ bytes }) => testId(bytes));
  client.close();
  return ids;
};

test('a wrong password, an unknown user and a disabled user get the same answer', async () => {
  const installation = install();
  const { imap } = await installation.start();
  installation.must(['user', 'disable', address('dora')]);
  const client = await Imap.open(imap);
  const answers = [];
  for (const [name, word] of [['alice', 'wrong password'], ['nobody', password], ['dora', password]])
    answers.push(await client.command(`LOGIN ${address(name)} "${word}"`));
  for (const { status } of answers) assert.equal(status, 'NO');
  assert.deepEqual(answers.map(({ text }) => text), Array(3).fill(answers[0].text));
  assert.match(answers[0].text, /AUTHENTICATIONFAILED/);
  client.close();
  const other = await Imap.open(imap);
  const plain = (name, word) => Buffer.from(`\0${address(name)}\0${word}`).toString('base64');
  for (const [name, word] of [['alice', 'wrong password'], ['nobody', password]])
    assert.equal((await other.command(`AUTHENTICATE PLAIN ${plain(name, word)}`)).text, answers[0].text);
  assert.equal((await other.command(`AUTHENTICATE PLAIN ${plain('bob', password)}`)).status, 'OK');
  other.close();
});

test('a malformed command gets BAD and the connection lives on', async () => {
  const installation = install();
  const { imap } = await installation.start();
  const client = await Imap.login(imap, address('alice'), password);
  for (const line of ['', 'FROBNICATE', 'FETCH', 'SELECT', 'FETCH 1 (FLAGS', 'STORE 1 FLAGS', 'SEARCH', 'UID', 'SELECT "open',
    'FETCH 0 FLAGS', 'LIST ""', 'APPEND INBOX "not a date" {1+}\r\nx', 'STATUS INBOX (NONSENSE)', 'CREATE "a\x01b"', ')(', 'FETCH 99999999999 FLAGS']) {
    const { status, text } = await client.command(line);
    assert.ok(['BAD', 'NO'].includes(status), `${JSON.stringify(line)}: ${status} ${text}`);
  }
  client.wire.write('untagged\r\n\r\n');
  await client.wire.line();
  assert.equal((await client.command('NOOP')).status, 'OK');
  assert.equal((await client.command('SELECT INBOX')).status, 'OK');
  client.close();
});

test('before login a command cannot be large, and after a refusal others are served', async () => {
  const installation = install();
  const { imap } = await installation.start();
  const hostile = [`a ID (${'"x" "y" '.repeat(100_000)})\r\n`, `a ${'('.repeat(500_000)}\r\n`, 'a LOGIN {999999999}\r\n', 'x'.repeat(1_000_000) + '\r\n'];
  for (const text of hostile) {
    const client = await Imap.open(imap);
    client.wire.write(text);
    const line = await client.wire.line().catch(() => '* BYE closed');
    assert.match(line, /BAD|BYE|NO/);
    client.close();
  }
  assert.deepEqual(await readIds(imap, 'alice'), []);
});

test('LMTP refuses what it must and takes what comes after', async () => {
  const installation = install();
  const { lmtp, imap } = await installation.start();
  const client = await Lmtp.open(lmtp);
  assert.equal((await client.command('DATA')).code, 503);
  assert.ok((await client.command('MAIL FROM:broken')).code >= 500);
  assert.ok((await client.command('NONSENSE')).code >= 500);
  assert.equal((await client.command('MAIL FROM:<a@example.com> SIZE=999999999')).code, 552);
  const replies = await client.deliver({ to: [address('nobody'), address('alice'), 'x@elsewhere.example'], message: simpleMessage({ id: 'one' }) });
  assert.deepEqual(replies.map(({ code }) => code), [550, 250, 550]);
  await client.quit();
  assert.deepEqual(await readIds(imap, 'alice'), ['one']);
});

test('a mailbox over its quota refuses with 552 or 452 and takes mail when the quota is raised', async () => {
  const installation = install();
  const { lmtp, imap } = await installation.start();
  installation.must(['user', 'quota', address('alice'), '20KiB']);
  const sender = await Lmtp.open(lmtp);
  const big = simpleMessage({ id: 'big', body: 'x'.repeat(70).concat('\r\n').repeat(220) });
  const [first] = await sender.deliver({ to: [address('alice')], message: big });
  assert.equal(first.code, 250, first.text);
  const [second] = await sender.deliver({ to: [address('alice')], message: simpleMessage({ id: 'big2', body: 'y'.repeat(70).concat('\r\n').repeat(220) }) });
  assert.ok([552, 452].includes(second.code), `${second.code} ${second.text}`);
  const client = await Imap.login(imap, address('alice'), password);
  const refused = await client.append('INBOX', big);
  assert.equal(refused.status, 'NO');
  assert.match(refused.text, /OVERQUOTA/);
  client.close();
  installation.must(['user', 'quota', address('alice'), 'none']);
  const [third] = await sender.deliver({ to: [address('alice')], message: simpleMessage({ id: 'big3' }) });
  assert.equal(third.code, 250);
  await sender.quit();
});

test('a damaged, a cut and a foreign mailbox file are named with a remedy; others are served', async () => {
  const installation = install();
  let endpoints = await installation.start();
  for (const name of ['alice', 'bob']) assert.equal((await deliverOne(endpoints.lmtp, name, `for-${name}`)).code, 250);
  assert.equal((await readIds(endpoints.imap, 'alice')).length, 1);
  assert.equal((await readIds(endpoints.imap, 'bob')).length, 1);
  const file = mailboxFile(installation, 'alice');
  const bobs = mailboxFile(installation, 'bob');
  await installation.stop();
  const sound = join(installation.directory, 'sound.db');
  copyFileSync(file, sound);
  const damages = {
    'overwritten head': () => overwrite(file, 0, 4096),
    'overwritten middle': () => overwrite(file, 4096, statSync(file).size - 4096),
    'cut short': () => truncateSync(file, 5000),
    'empty': () => truncateSync(file, 0),
    'plain SQLite': () => {
      rmSync(file);
      execFileSync('sqlite3', [file, 'CREATE TABLE t(x); INSERT INTO t VALUES(1);']);
    },
    'another user\'s': () => copyFileSync(bobs, file),
    'no database': () => writeFileSync(file, 'this is no database\n'.repeat(1000)),
  };
  for (const [what, damage] of Object.entries(damages)) {
    copyFileSync(sound, file);
    damage();
    endpoints = await installation.start();
    const { server } = installation;
    const client = await Imap.open(endpoints.imap);
    let reply = await client.command(`LOGIN ${address('alice')} "${password}"`);
    if (reply.status === 'OK') {
      reply = await client.command('SELECT INBOX');
      if (reply.status === 'OK') reply = await client.command('FETCH 1:* (FLAGS BODY.PEEK[])');
    }
    assert.equal(reply.status, 'NO', `${what}: ${reply.status} ${reply.text}`);
    assert.ok(!/AUTHENTICATIONFAILED/.test(reply.text), `${what}: looks like a wrong password: ${reply.text}`);
    client.close();
    assert.deepEqual(await readIds(endpoints.imap, 'bob'), ['for-bob'], what);
    assert.equal((await deliverOne(endpoints.lmtp, 'alice', `while ${what}`.replaceAll(' ', '-'))).code, 250, what);
    await installation.stop();
    const checked = installation.run(['doctor', '--user', address('alice'), '--password-file', installation.passwordFile('alice')]);
    assert.equal(checked.code, 1, what);
    const told = checked.stdout + checked.stderr + server.stderr;
    assert.ok(told.includes(file.split('/').at(-1)), `${what}: no file is named in:\n${told}`);
    assert.match(told, /restore|backup|recover/i, `${what}: no remedy in:\n${told}`);
  }
  copyFileSync(sound, file);
  for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true });
  endpoints = await installation.start();
  const ids = await readIds(endpoints.imap, 'alice');
  assert.equal(ids.length, 1 + Object.keys(damages).length, ids.join());
  await installation.stop();
});

function overwrite(file, from, length) {
  const fd = openSync(file, 'r+');
  writeSync(fd, Buffer.alloc(length, 0xa5), 0, length, from);
  closeSync(fd);
}

test('a wrong server.key and a damaged directory.db stop the start with file and remedy', async () => {
  const installation = install();
  const key = join(installation.data, 'server.key');
  const saved = join(installation.directory, 'saved.key');
  const start = () => new Process(['serve', '--config', installation.config, '--json'], { settings: installation.settings });
  copyFileSync(key, saved);
  writeFileSync(key, Buffer.alloc(32, 7));
  const wrong = start();
  assert.equal((await wrong.exited).code, 1);
  assert.match(wrong.stderr, /directory\.db/);
  assert.match(wrong.stderr, /server\.key/);
  rmSync(key);
  const absent = start();
  assert.equal((await absent.exited).code, 1);
  assert.match(absent.stderr, /server\.key/);
  copyFileSync(saved, key);
  spawnSync('chmod', ['644', key]);
  const open = start();
  assert.equal((await open.exited).code, 1);
  assert.match(open.stderr, /server\.key/);
  spawnSync('chmod', ['600', key]);
  overwrite(join(installation.data, 'directory.db'), 0, 4096);
  const damaged = start();
  assert.equal((await damaged.exited).code, 1);
  assert.match(damaged.stderr, /directory\.db/);
});

// A file system of its own, which only root can make.
function mount(size, directory) {
  return spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=0755`, 'tmpfs', directory]).status === 0;
}
const probe = temporaryDirectory();
const canMount = mount('1m', probe);
if (canMount) spawnSync('umount', [probe]);
rmSync(probe, { recursive: true });

test('a full disk is told to senders and clients, and nothing acknowledged is lost', { skip: !canMount && 'cannot mount a small file system' }, async () => {
  const directory = temporaryDirectory();
  assert.ok(mount('12m', directory));
  const installation = install({ directory });
  try {
    const { lmtp, imap } = await installation.start();
    const acknowledged = [];
    const noise = () => Buffer.from(Array.from({ length: 150_000 }, () => 33 + Math.floor(Math.random() * 90))).toString('latin1').replace(/.{70}/g, '$&\r\n');
    const sender = await Lmtp.open(lmtp);
    let refused;
    for (let n = 0; n < 200 && !refused; ++n) {
      const [reply] = await sender.deliver({ to: [address('alice')], message: simpleMessage({ id: `m${n}`, body: noise() }) });
      if (reply.code === 250) acknowledged.push(`m${n}`);
      else refused = reply;
    }
    assert.ok(refused, 'the disk never filled up');
    assert.ok(refused.code >= 400 && refused.code < 500, `${refused.code} ${refused.text}`);
    // Fill up what little is left, so that every write fails.
    writeFileSync(join(directory, 'ballast'), '');
    spawnSync('dd', ['if=/dev/zero', `of=${join(directory, 'ballast')}`, 'bs=4096'], { stdio: 'ignore' });
    // What the server wrote comes to us through a pipe, in a while.
    for (let n = 0; n < 100 && !/space|full/i.test(installation.server.stderr); ++n) await new Promise((go) => setTimeout(go, 50));
    assert.match(installation.server.stderr, /space|full/i);
    assert.match(installation.server.stderr, new RegExp(directory.split('/').at(-1)));
    const [still] = await sender.deliver({ to: [address('bob')], message: simpleMessage({ id: 'full', body: noise() }) });
    assert.ok(still.code >= 400 && still.code < 500, `${still.code} ${still.text}`);
    rmSync(join(directory, 'ballast'));
    assert.equal(spawnSync('mount', ['-o', 'remount,size=512m', directory]).status, 0);
    const [again] = await sender.deliver({ to: [address('alice')], message: simpleMessage({ id: 'after' }) });
    assert.equal(again.code, 250, again.text);
    await sender.quit();
    assert.deepEqual(await readIds(imap, 'alice'), [...acknowledged, 'after']);
    await installation.stop();
    const examined = installation.run(['doctor', '--user', address('alice'), '--password-file', installation.passwordFile('alice')]);
    assert.equal(examined.code, 0, examined.stdout + examined.stderr);
  } finally {
    await installation.stop('SIGKILL');
    for (const name of readdirSync(directory)) rmSync(join(directory, name), { recursive: true, force: true });
    spawnSync('umount', [directory]);
  }
});

test('a read-only data directory is named with a remedy', { skip: !canMount && 'cannot mount a small file system' }, async () => {
  const directory = temporaryDirectory();
  assert.ok(mount('24m', directory));
  const installation = install({ directory });
  try {
    assert.equal(spawnSync('mount', ['-o', 'remount,ro', directory]).status, 0);
    const server = new Process(['serve', '--config', installation.config, '--json'], { settings: installation.settings });
    assert.equal((await server.exited).code, 1);
    assert.ok(server.stderr.includes(installation.data), server.stderr);
    assert.match(server.stderr, /writable/);
    const made = muhur(['init', join(directory, 'new'), '--domain', 'example.org'], { settings: testSettings });
    assert.equal(made.code, 1);
    assert.match(made.stderr, /new/);
  } finally {
    spawnSync('mount', ['-o', 'remount,rw', directory]);
    for (const name of readdirSync(directory)) rmSync(join(directory, name), { recursive: true, force: true });
    spawnSync('umount', [directory]);
  }
});
