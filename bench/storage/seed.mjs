// The seed's workload and the one larger than the cache, under Node: the same rows and order as
// src/bench/storage_seed.cpp and storage_large.cpp, for comparison.
//   seed.mjs chacha20|plain seed|large DIRECTORY PASSES
// Prints one line of JSON: the median over the passes (the first of which warms the JIT up) of each figure.
import { mkdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [rival, workload, directory, passes] = process.argv.slice(2);
const here = createRequire(import.meta.url);
const interop = createRequire(new URL('../../tests/interop/package.json', import.meta.url));
const Database = rival === 'plain' ? here('better-sqlite3') : interop('better-sqlite3-multiple-ciphers');

const cpuMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e3;
};

// As storage_step.hpp: no step begins at the end of a time slice that the one before has used up.
const settle = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);

function timed(out, name, count, action) {
  settle();
  const cpu = cpuMs();
  const start = process.hrtime.bigint();
  action();
  const wall = Number(process.hrtime.bigint() - start) / 1e6;
  const cpuTime = cpuMs() - cpu;
  if (count === 0) {
    out[`${name}_ms`] = wall;
    out[`${name}_cpu_ms`] = cpuTime;
  } else {
    out[`${name}_per_s`] = (count / wall) * 1e3;
    out[`${name}_cpu_us`] = (cpuTime / count) * 1e3;
  }
}

function open(cacheSize) {
  const file = join(directory, 'node.db');
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(file + suffix, { force: true });
  const db = new Database(file);
  if (rival !== 'plain') {
    db.pragma("cipher='chacha20'");
    db.key(Buffer.from('test-password-123'));
  }
  for (const pragma of ['journal_mode=WAL', 'secure_delete=ON', 'auto_vacuum=FULL', 'busy_timeout=30000',
    'synchronous=NORMAL', 'foreign_keys=ON', "encoding='UTF-8'", 'optimize=0x10002', 'temp_store=1'])
    db.pragma(pragma);
  if (cacheSize) db.pragma(`cache_size=${cacheSize}`);
  const temp = join(directory, 'tmp');
  mkdirSync(temp, { recursive: true });
  process.env.SQLITE_TMPDIR = temp;
  return db;
}

const insertSql = `INSERT INTO messages (mailbox_id, uid, date, flags, subject, from_addr, to_addr, message_id, raw)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;

function createData(db) {
  db.exec(`
    CREATE TABLE IF NOT EXISTS messages (
      id INTEGER PRIMARY KEY, mailbox_id INTEGER NOT NULL, uid INTEGER NOT NULL, date INTEGER NOT NULL,
      flags TEXT, subject TEXT, from_addr TEXT, to_addr TEXT, message_id TEXT, raw BLOB,
      FOREIGN KEY (mailbox_id) REFERENCES mailboxes(id));
    CREATE TABLE IF NOT EXISTS mailboxes (
      id INTEGER PRIMARY KEY, name TEXT NOT NULL, path TEXT NOT NULL,
      uidvalidity INTEGER NOT NULL, uidnext INTEGER NOT NULL);
    CREATE INDEX IF NOT EXISTS idx_messages_mailbox_date ON messages(mailbox_id, date DESC);
    CREATE INDEX IF NOT EXISTS idx_messages_uid ON messages(mailbox_id, uid);
    CREATE INDEX IF NOT EXISTS idx_messages_flags ON messages(mailbox_id, flags) WHERE flags IS NOT NULL;
    INSERT OR IGNORE INTO mailboxes (id, name, path, uidvalidity, uidnext)
      VALUES (1, 'INBOX', 'INBOX', 1234567890, 1);`);
  const insert = db.prepare(insertSql);
  const now = Date.now();
  const messages = [];
  for (let i = 1; i <= 1000; i++)
    messages.push([1, i, now - i * 60000, i % 10 === 0 ? '\\Seen' : '', `Test Subject ${i}`,
      `sender${i}@example.com`, `recipient${i}@example.com`, `<message-${i}@example.com>`,
      Buffer.from(`Raw message content for message ${i}`.repeat(100))]);
  db.transaction((all) => {
    for (const message of all) insert.run(...message);
  })(messages);
}

function runSeed() {
  const out = {};
  let db;
  timed(out, 'setup', 0, () => {
    db = open(0);
    createData(db);
  });
  const insert = db.prepare(insertSql);
  timed(out, 'insert', 100, () => {
    for (let i = 2000; i < 2100; i++)
      insert.run(1, i, Date.now(), '', `Benchmark Subject ${i}`, `bench${i}@example.com`, `test${i}@example.com`,
        `<bench-${i}@example.com>`, Buffer.from(`Benchmark message ${i}`.repeat(50)));
  });
  const select = db.prepare(`SELECT id, subject, from_addr, date FROM messages
    WHERE mailbox_id = ? AND date > ? ORDER BY date DESC LIMIT 50`);
  timed(out, 'select', 1000, () => {
    for (let i = 0; i < 1000; i++)
      if (select.all(1, Date.now() - 86400000 * 30).length !== 50) throw new Error('not 50 rows');
  });
  const update = db.prepare('UPDATE messages SET flags = ? WHERE id = ?');
  timed(out, 'update', 100, () => {
    for (let i = 1; i <= 100; i++) update.run('\\Seen \\Flagged', i);
  });
  db.close();
  return out;
}

// The same pseudo-random 3,400 bytes for everybody would not matter: incompressible is all that counts.
function runLarge() {
  const out = {};
  const db = open(-2000);
  db.pragma('wal_autocheckpoint=0');
  db.exec('CREATE TABLE messages (id INTEGER PRIMARY KEY, raw BLOB)');
  const insert = db.prepare('INSERT INTO messages (id, raw) VALUES (?, ?)');
  const raw = new BigUint64Array(425);
  const bytes = Buffer.from(raw.buffer);
  let state = 1n;
  timed(out, 'write', 0, () => {
    for (let t = 0; t < 20; t++)
      db.transaction(() => {
        for (let i = 1; i <= 1000; i++) {
          for (let w = 0; w < raw.length; w += 1) {
            state = BigInt.asUintN(64, state * 6364136223846793005n + 1442695040888963407n);
            raw[w] = state;
          }
          insert.run(t * 1000 + i, bytes);
        }
      })();
  });
  timed(out, 'checkpoint', 0, () => db.pragma('wal_checkpoint(TRUNCATE)'));
  timed(out, 'scan', 0, () => {
    const sum = db.prepare('SELECT sum(length(raw)) FROM messages').pluck().get();
    if (sum !== 68000000) throw new Error('the scan did not read all messages');
  });
  timed(out, 'index', 0, () => db.exec('CREATE INDEX by_raw ON messages (raw)'));
  db.close();
  return out;
}

const run = workload === 'large' ? runLarge : runSeed;
const all = [];
for (let i = 0; i < Number(passes); i++) all.push(run());
const median = (values) => {
  values.sort((a, b) => a - b);
  const n = values.length;
  return n % 2 ? values[(n - 1) / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
};
console.log(JSON.stringify(Object.fromEntries(Object.keys(all[0]).map((key) => [key, median(all.map((o) => o[key]))]))));
