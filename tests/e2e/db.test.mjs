// muhur db: looking into, checking, copying and changing database files.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { simpleMessage } from './lib/messages.mjs';
import { Installation, binary, muhur } from './lib/server.mjs';

const password = 'alice has a password';
const installation = new Installation({ alice: password });
after(() => installation.remove());
const alice = 'alice@example.org';
const at = (name) => join(installation.directory, name);
const words = 'a subject that nobody should read';

function file(name, text) {
  writeFileSync(at(name), text);
  return at(name);
}
const passwordFile = file('alice.password', `${password}\n`);
const db = (...args) => installation.run(['db', ...args]);
function json(...args) {
  const done = db(...args, '--json');
  assert.equal(done.code, 0, done.stderr);
  return JSON.parse(done.stdout);
}
const mailbox = ['--password-file', passwordFile];
const count = 'SELECT count(*) AS n FROM messages';

before(() => {
  for (let i = 0; i < 40; i++)
    installation.must(['deliver', alice], { input: simpleMessage({ id: `db-${i}` }).toString() + `${words}\r\n`.repeat(200) });
  // Waits in the spool until its owner signs in.
  installation.must(['doctor', '--user', alice, '--password-file', passwordFile]);
});

test('info tells cipher, sizes and every PRAGMA of each kind of database', () => {
  const seen = json('info', alice, ...mailbox);
  assert.deepEqual([seen.cipher, seen.key, seen.auto_vacuum], ['chacha20', 'raw', 'incremental']);
  assert.equal(seen.page_count * seen.page_size, statSync(seen.path).size);
  assert.equal(seen.pragmas.page_size, seen.page_size);
  assert.ok(Object.keys(seen.pragmas).length > 30);
  for (const name of ['directory', 'spool']) assert.equal(json('info', name).cipher, 'chacha20');
  assert.match(db('info', 'directory').stdout, /PRAGMA journal_mode +wal/);
});

test('a wrong password, an unknown user and a missing file are refused', () => {
  const wrong = db('info', alice, '--password-file', file('wrong', 'not the password\n'));
  assert.equal(wrong.code, 1);
  const unknown = db('info', 'nobody@example.org', ...mailbox);
  assert.equal(unknown.code, 1);
  assert.equal(unknown.stderr, wrong.stderr);
  assert.match(db('info', at('no.db')).stderr, /no file/);
  assert.equal(db('info').code, 2);
});

test('backup makes verified copies under the same key, another, or none', () => {
  assert.equal(json('backup', alice, at('same.db'), ...mailbox).verified, true);
  const key = db('export-key', alice, ...mailbox);
  assert.match(key.stdout, /^raw:[0-9a-f]{64}\n$/);
  const keyFile = file('alice.key', key.stdout);
  assert.equal(json('info', at('same.db'), '--key-file', keyFile).cipher, 'chacha20');
  json('backup', alice, at('other.db'), ...mailbox, '--new-passphrase-file', file('other', 'another pass phrase\n'));
  const other = json('info', at('other.db'), '--passphrase-file', at('other'));
  assert.deepEqual([other.cipher, other.key], ['chacha20', 'passphrase']);
  json('backup', alice, at('plain.db'), ...mailbox, '--plain');
  assert.equal(json('info', at('plain.db')).cipher, 'none');
  for (const [name, plain] of [['same', false], ['other', false], ['plain', true]])
    assert.equal(readFileSync(at(`${name}.db`)).includes('CREATE TABLE'), plain);
  assert.match(db('backup', alice, at('same.db'), ...mailbox).stderr, /already/);
  const noted = JSON.parse(readFileSync(join(installation.data, 'backup.json'), 'utf8'));
  assert.ok(noted.backups.every(({ verified, pages }) => verified && pages > 5));
});

test('the exported key opens the mailbox in the sqlite3 shell with the extension', () => {
  const library = join(dirname(binary), 'libmuhur_vault');
  assert.ok(existsSync(`${library}.so`), 'build muhur_vault_extension');
  const key = readFileSync(at('alice.key'), 'utf8').trim();
  const script = `.load ${library}\n.open ${at('same.db')}\nPRAGMA key='${key}';\n${count};\nPRAGMA integrity_check;\n`;
  const done = spawnSync('sqlite3', ['-batch', '-init', '/dev/null'], { input: script, encoding: 'utf8' });
  assert.equal(done.stderr, '');
  assert.deepEqual(done.stdout.trim().split('\n'), ['ok', '40', 'ok']);
});

test('check finds a damaged page, names its table, and salvage saves the rest', () => {
  assert.deepEqual([json('check', alice, ...mailbox).sound, json('check', 'directory').sound], [true, true]);
  copyFileSync(at('other.db'), at('damaged.db'));
  const key = ['--passphrase-file', at('other')];
  const pages = json('info', at('damaged.db'), ...key);
  const bytes = readFileSync(at('damaged.db'));
  const damage = (page) => { bytes[(page - 1) * pages.page_size + 99] ^= 1; };
  for (let page = 21; page <= pages.page_count; page += 7) damage(page);
  writeFileSync(at('damaged.db'), bytes);
  // Where the schema itself is damaged nothing can be saved: its pages are made whole again.
  const first = JSON.parse(db('check', at('damaged.db'), ...key, '--json').stdout);
  for (const { page, owner } of first.damaged) if (owner === '(schema)') damage(page);
  writeFileSync(at('damaged.db'), bytes);
  const checked = db('check', at('damaged.db'), ...key, '--json');
  assert.equal(checked.code, 1);
  const { sound, damaged, problems } = JSON.parse(checked.stdout);
  assert.equal(sound, false);
  assert.deepEqual(damaged.map(({ page }) => page % 7), damaged.map(() => 0));
  assert.ok(damaged.length > 0 && damaged.every(({ owner }) => owner.length > 0) && problems.length > 0);
  const saved = json('salvage', at('damaged.db'), at('saved.db'), ...key);
  assert.equal(saved.complete, false);
  assert.deepEqual(saved.damaged_pages, damaged.map(({ page }) => page));
  assert.ok(saved.tables.some(({ rows }) => rows > 0));
  assert.equal(json('check', at('saved.db'), ...key).damaged.length, 0);
  assert.deepEqual(readFileSync(at('damaged.db')), bytes, 'only read');
});

test('rekey changes the key of a file in place, and of nothing that Muhur keeps', () => {
  copyFileSync(at('other.db'), at('rekeyed.db'));
  const fresh = file('fresh', 'a fresh one\n');
  json('rekey', at('rekeyed.db'), '--passphrase-file', at('other'), '--new-passphrase-file', fresh);
  assert.equal(json('check', at('rekeyed.db'), '--passphrase-file', fresh).sound, true);
  assert.equal(db('check', at('rekeyed.db'), '--passphrase-file', at('other')).code, 1);
  const typed = installation.run(['db', 'rekey', at('rekeyed.db')], { input: 'a fresh one\nthe third one\n' });
  assert.equal(typed.code, 0, typed.stderr);
  assert.equal(db('check', at('rekeyed.db'), '--passphrase-file', file('third', 'the third one\n')).code, 0);
  assert.match(db('rekey', alice, ...mailbox, '--new-passphrase-file', fresh).stderr, /user passwd/);
  assert.match(db('rekey', at('plain.db'), '--new-passphrase-file', fresh).stderr, /migrate/);
});

test('migrate encrypts a plain file under its own name', () => {
  copyFileSync(at('plain.db'), at('migrated.db'));
  const fresh = ['--new-passphrase-file', at('fresh')];
  const done = json('migrate', at('migrated.db'), ...fresh);
  assert.deepEqual([done.changed, done.from, done.to], [true, 'none', 'chacha20']);
  assert.ok(!readFileSync(at('migrated.db')).includes('CREATE TABLE'));
  const key = ['--passphrase-file', at('fresh')];
  assert.equal(json('check', at('migrated.db'), ...key).sound, true);
  assert.equal(json('migrate', at('migrated.db'), ...key).changed, false);
  assert.ok(!readdirSync(installation.directory).some((name) => name.startsWith('migrated.db-') || name.endsWith('.migrating')));
});

test('a migration that is killed goes on where it stopped, under the same key only', async () => {
  const large = at('large.db');
  copyFileSync(at('plain.db'), large);
  const rows = 60_000;
  const fill = `PRAGMA journal_mode=DELETE; CREATE TABLE large(a, b); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows}) INSERT INTO large SELECT i, randomblob(1500) FROM n`;
  assert.equal(db('shell', large, '--write', '--command', fill).code, 0);
  const original = readFileSync(large);
  const part = `${large}.migrating`;
  const size = () => statSync(part, { throwIfNoEntry: false })?.size ?? 0;
  async function kill(keyFile, from) {
    const child = spawn(binary, ['db', 'migrate', large, '--new-passphrase-file', keyFile], { stdio: 'ignore' });
    const ended = new Promise((done) => child.once('close', (code, signal) => done(signal)));
    while (child.exitCode === null && size() < from) await setTimeout(1);
    child.kill('SIGKILL');
    assert.equal(await ended, 'SIGKILL');
    assert.ok(readFileSync(large).equals(original), 'the old file is unharmed');
  }
  await kill(at('fresh'), 20_000_000);
  await kill(at('fresh'), size() + 20_000_000);
  const done = json('migrate', large, '--new-passphrase-file', at('fresh'));
  assert.deepEqual([done.changed, done.started_over], [true, '']);
  assert.ok(done.rows_kept > 10_000 && done.rows_copied > 0 && done.rows_kept + done.rows_copied >= rows, JSON.stringify(done));
  const key = ['--passphrase-file', at('fresh')];
  assert.equal(json('check', large, ...key).sound, true);
  assert.equal(json('shell', large, ...key, '--command', 'SELECT sum(a) AS n FROM large').n, (rows * (rows + 1)) / 2);
  assert.ok(!existsSync(part));

  writeFileSync(large, original);
  await kill(at('other'), 20_000_000);
  const anew = json('migrate', large, '--new-passphrase-file', at('fresh'));
  assert.match(anew.started_over, /another key|damaged/);
  assert.equal(anew.rows_kept, 0);
  assert.equal(json('check', large, ...key).sound, true);
});

test('vacuum gives the room of deleted rows back', () => {
  const key = ['--passphrase-file', at('other')];
  json('backup', at('other.db'), at('small.db'), ...key);
  const dropped = db('shell', at('small.db'), ...key, '--write', '--command', 'CREATE TABLE big(x); INSERT INTO big VALUES(randomblob(3000000)); DROP TABLE big');
  assert.equal(dropped.code, 0, dropped.stderr);
  const { bytes_before: larger, bytes_after: smaller } = json('vacuum', at('small.db'), ...key);
  assert.ok(larger > smaller + 2_500_000);
  assert.equal(json('check', at('small.db'), ...key).sound, true);
});

test('the shell runs SQL, reads only unless told otherwise, and reads statements from standard input', () => {
  const one = db('shell', alice, ...mailbox, '--command', count, '--json');
  assert.deepEqual(JSON.parse(one.stdout), { n: 40 });
  const refused = db('shell', alice, ...mailbox, '--command', 'DELETE FROM messages');
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /readonly|read-only|read only/);
  const typed = installation.run(['db', 'shell', alice], { input: `${password}\n.tables\n.schema messages\nSELECT 1,\n 'two' AS b;\nSELEC;\n` });
  assert.equal(typed.code, 1);
  assert.match(typed.stdout, /table +messages/);
  assert.match(typed.stdout, /CREATE TABLE messages/);
  assert.match(typed.stdout, /1 +b\n1 +two/);
  assert.match(typed.stderr, /syntax error/);
});

test('with a running server every command says so and touches nothing', async () => {
  await installation.start();
  for (const command of [['info', alice], ['check', 'directory'], ['export-key', alice], ['vacuum', 'spool'], ['backup', alice, at('never.db')]]) {
    const done = db(...command, ...mailbox);
    assert.equal(done.code, 1, command.join(' '));
    assert.match(done.stderr, /uses the data directory/);
  }
  const path = join(installation.data, 'directory.db');
  const direct = db('check', path, '--key-file', at('alice.key'));
  assert.equal(direct.code, 1);
  assert.match(direct.stderr, /in use/);
  assert.ok(!existsSync(at('never.db')));
  await installation.stop();
});

test('every db command has help', () => {
  for (const name of ['info', 'check', 'salvage', 'backup', 'vacuum', 'rekey', 'migrate', 'export-key', 'shell'])
    assert.match(muhur(['db', name, '--help']).stdout, /DATABASE/);
});
