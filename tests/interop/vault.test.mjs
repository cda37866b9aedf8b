// Muhur's vault against SQLite3 Multiple Ciphers, both ways. Needs `npm install` here and the program
// vault_tool, found through MUHUR_VAULT_TOOL or in build/dev/tests.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const tool = process.env.MUHUR_VAULT_TOOL ?? join(here, '../../build/dev/tests/vault_tool');
const oracle = join(here, 'oracle.mjs');
const passphrase = Buffer.from('test-password-123');

const sides = {
  muhur: { program: tool, first: [] },
  node: { program: process.execPath, first: [oracle] },
};
const other = (side) => (side === 'muhur' ? 'node' : 'muhur');

// Runs the steps on one side; returns what was printed. A step of '!kill' must be the last.
function run(side, path, steps, { key = passphrase, cipher = 'chacha20' } = {}) {
  const { program, first } = sides[side];
  const args = [...first, path, key.toString('hex'), cipher, ...steps];
  const done = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 1 << 26 });
  if (steps.at(-1) === '!kill') assert.equal(done.signal, 'SIGKILL', `${side}: ${done.stderr}`);
  else assert.equal(done.status, 0, `${side}: ${done.stderr}`);
  return done.stdout.trim().split('\n');
}

// Rows from..to with text that tells its id and who wrote it.
const insert = (from, to, size, who) =>
  `WITH RECURSIVE c(x) AS (SELECT ${from} UNION ALL SELECT x+1 FROM c WHERE x<${to})
   INSERT INTO t SELECT x, '${who} '||x||' '||substr(replace(hex(zeroblob(${size})),'00','ab'),1,${size}) FROM c`;
const table = 'CREATE TABLE t(id INTEGER PRIMARY KEY, body TEXT)';
const wal = 'PRAGMA journal_mode=WAL';
const keep = 'PRAGMA wal_autocheckpoint=0';
const index = 'CREATE INDEX i ON t(body)';
const checks = ['PRAGMA integrity_check', "SELECT count(*)||' '||sum(id)||' '||sum(length(body)) FROM t"];

// What the database must hold: the sum over [from, to, size, who] of what insert() put in.
function expected(inserted) {
  let count = 0;
  let ids = 0;
  let bytes = 0;
  for (const [from, to, size, who] of inserted) {
    for (let id = from; id <= to; id++) {
      count += 1;
      ids += id;
      bytes += who.length + 1 + String(id).length + 1 + size;
    }
  }
  return ['ok', `${count} ${ids} ${bytes}`];
}

function holds(side, path, inserted, how) {
  assert.deepEqual(run(side, path, checks, how), expected(inserted), `read by ${side}`);
}

function inDirectory(work) {
  const directory = mkdtempSync(join(tmpdir(), 'muhur-interop-'));
  try {
    work(join(directory, 'a.db'));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

const scenarios = {
  'is created and read back'(side, path, begin) {
    const a = [1, 400, 600, side];
    run(side, path, [...begin, wal, table, index, insert(...a)]);
    holds(other(side), path, [a]);
  },
  'is created, written by the other and read back'(side, path, begin) {
    const a = [1, 300, 500, side];
    const b = [1000, 1200, 700, other(side)];
    run(side, path, [...begin, wal, table, index, insert(...a)]);
    run(other(side), path, [insert(...b), 'DELETE FROM t WHERE id=1', insert(1, 1, 500, side)]);
    holds(side, path, [a, b]);
  },
  'is recovered from its WAL after a kill'(side, path, begin) {
    const a = [1, 1500, 700, side];
    run(side, path, [
      ...begin, wal, keep, table, insert(...a), index, '!kill',
    ]);
    assert.ok(statSync(`${path}-wal`).size > 1_000_000);
    holds(other(side), path, [a]);
  },
  'rolls back to its last commit after a kill in a spilled transaction'(side, path, begin) {
    const a = [1, 200, 700, side];
    run(side, path, [
      ...begin, wal, keep, 'PRAGMA cache_size=10', table, index,
      insert(...a), 'BEGIN', insert(5000, 7000, 700, side), "UPDATE t SET body='gone'", '!kill',
    ]);
    assert.ok(statSync(`${path}-wal`).size > 1_000_000);
    holds(other(side), path, [a]);
  },
  'keeps a spilled transaction that rewrote its own frames'(side, path, begin) {
    const a = [1, 700, 700, side];
    run(side, path, [
      ...begin, wal, keep, 'PRAGMA cache_size=10', table, index,
      'BEGIN', insert(...a), "UPDATE t SET body=body||'x'", "UPDATE t SET body=rtrim(body,'x')", 'COMMIT', '!kill',
    ]);
    holds(other(side), path, [a]);
  },
  'has its partial WAL appended to by the other, killed, and taken back'(side, path, begin) {
    const a = [1, 300, 600, side];
    const b = [1000, 1300, 600, other(side)];
    const c = [2000, 2300, 600, side];
    run(side, path, [
      ...begin, wal, keep, 'PRAGMA cache_size=10', table, insert(...a), 'BEGIN',
      insert(5000, 6000, 700, side), '!kill',
    ]);
    run(other(side), path, [keep, insert(...b), '!kill']);
    run(side, path, [keep, insert(...c), '!kill']);
    holds(other(side), path, [a, b, c]);
  },
  'has its hot rollback journal rolled back'(side, path, begin) {
    const a = [1, 800, 700, side];
    run(side, path, [
      ...begin, 'PRAGMA synchronous=OFF', table, index, insert(...a), 'PRAGMA cache_size=10', 'BEGIN',
      "UPDATE t SET body='gone '||id", insert(5000, 6000, 700, side), '!kill',
    ]);
    assert.ok(existsSync(`${path}-journal`));
    holds(other(side), path, [a]);
  },
};

const vacuum = 'is vacuumed in rollback and in WAL mode by either';
function vacuumScenario(path, begin) {
  const a = [1, 300, 600, 'muhur'];
  run('muhur', path, [...begin, table, insert(...a), insert(5000, 6000, 600, 'x'), 'DELETE FROM t WHERE id>=5000', 'VACUUM']);
  holds('node', path, [a]);
  run('node', path, [insert(5000, 6000, 600, 'x'), 'DELETE FROM t WHERE id>=5000', wal, 'VACUUM']);
  holds('muhur', path, [a]);
  run('muhur', path, [insert(5000, 6000, 600, 'x'), 'DELETE FROM t WHERE id>=5000', 'VACUUM', 'PRAGMA journal_mode=DELETE']);
  holds('node', path, [a]);
}

for (const size of [512, 1024, 4096, 8192, 65536]) {
  for (const autoVacuum of [0, 1]) {
    const begin = [`PRAGMA page_size=${size}`, `PRAGMA auto_vacuum=${autoVacuum}`];
    const of = `with pages of ${size} and auto_vacuum=${autoVacuum}`;
    for (const [name, scenario] of Object.entries(scenarios)) {
      for (const side of ['muhur', 'node'])
        test(`a database of ${side} ${of} ${name}`, () => inDirectory((path) => scenario(side, path, begin)));
    }
    test(`a database ${of} ${vacuum}`, () => inDirectory((path) => vacuumScenario(path, begin)));
  }
}

const rawKey = Buffer.from(Array.from({ length: 32 }, (_, i) => i * 7 + 1));
const rawSalt = Buffer.from(Array.from({ length: 16 }, (_, i) => 200 + i));
const keyForms = {
  'raw: and 32 bytes': Buffer.concat([Buffer.from('raw:'), rawKey]),
  'raw: and 48 bytes': Buffer.concat([Buffer.from('raw:'), rawKey, rawSalt]),
  'raw: and 64 hex': Buffer.from(`raw:${rawKey.toString('hex')}`),
  'raw: and 96 hex': Buffer.from(`raw:${rawKey.toString('hex')}${rawSalt.toString('hex')}`),
  "x'64 hex'": Buffer.from(`x'${rawKey.toString('hex')}'`),
  "x'96 hex'": Buffer.from(`x'${rawKey.toString('hex')}${rawSalt.toString('hex')}'`),
};
for (const [form, key] of Object.entries(keyForms)) {
  for (const side of ['muhur', 'node']) {
    test(`the raw key ${form} of ${side} opens for the other`, () =>
      inDirectory((path) => {
        const a = [1, 50, 600, side];
        run(side, path, [wal, table, insert(...a)], { key });
        holds(other(side), path, [a], { key });
        holds(other(side), path, [a], { key: keyForms['raw: and 64 hex'] });
      }));
  }
}

for (const cipher of ['sqleet', 'aes256cbc']) {
  for (const side of ['muhur', 'node']) {
    test(`the old cipher ${cipher} of ${side} is read and written by the other, WAL and journal included`, () =>
      inDirectory((path) => {
        const how = { cipher };
        const a = [1, 300, 600, side];
        const b = [1000, 1100, 600, other(side)];
        run(side, path, [table, index, insert(...a)], how);
        run(other(side), path, [
          'PRAGMA synchronous=OFF', 'PRAGMA cache_size=10', 'BEGIN', "UPDATE t SET body='gone '||id", insert(5000, 5500, 600, 'x'), '!kill',
        ], how);
        holds(side, path, [a], how);
        run(other(side), path, [wal, keep, insert(...b), '!kill'], how);
        holds(side, path, [a, b], how);
      }));
  }
}

for (const side of ['muhur', 'node']) {
  for (const size of [1024, 4096]) {
    test(`incremental auto-vacuum of ${side} with pages of ${size} is carried on by the other`, () =>
      inDirectory((path) => {
        const a = [1, 200, 600, side];
        run(side, path, [
          `PRAGMA page_size=${size}`, 'PRAGMA auto_vacuum=2', wal, table, insert(...a),
          insert(5000, 6000, 600, 'x'), 'DELETE FROM t WHERE id>=5000', 'PRAGMA incremental_vacuum(20)',
        ]);
        holds(other(side), path, [a]);
        run(other(side), path, ['PRAGMA incremental_vacuum', 'PRAGMA wal_checkpoint(TRUNCATE)']);
        assert.deepEqual(run(side, path, ['PRAGMA freelist_count']), ['0']);
        holds(side, path, [a]);
      }));
  }
}

// Pitfall 24: both have one WAL database open at once.

// A program that makes its steps one turn at a time.
function player(side, path, steps) {
  const { program, first } = sides[side];
  const turns = steps.flatMap((step) => [step, '!turn']);
  const child = spawn(program, [...first, path, passphrase.toString('hex'), 'chacha20', ...turns], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  let printed = '';
  let complaint = '';
  let wake = () => {};
  child.stdout.on('data', (piece) => {
    printed += piece;
    wake();
  });
  child.stderr.on('data', (piece) => (complaint += piece));
  const ready = async () => {
    while (!printed.includes('ready\n')) {
      const gone = await Promise.race([new Promise((resolve) => (wake = resolve)), ended.then(() => true)]);
      assert.ok(!gone || printed.includes('ready\n'), `${side}: ${complaint}`);
    }
    printed = printed.slice(printed.indexOf('ready\n') + 6);
  };
  return {
    begin: ready,
    async turn() {
      child.stdin.write('\n');
      await ready();
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

test('a WAL that muhur has open refuses a second program instead of losing its commits', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'muhur-interop-'));
  const path = join(directory, 'a.db');
  const a = [1, 5, 100, 'muhur'];
  const muhur = player('muhur', path, [`${wal}; ${keep}; ${table}; ${insert(...a)}`]);
  try {
    await muhur.begin();
    const args = [oracle, path, passphrase.toString('hex'), 'chacha20', insert(100, 101, 100, 'node')];
    const second = spawnSync(process.execPath, args, { encoding: 'utf8' });
    assert.notEqual(second.status, 0);
    assert.match(second.stderr, /locking protocol|database is locked/);
  } finally {
    await muhur.kill();
  }
  holds('node', path, [a]);
  rmSync(directory, { recursive: true });
});

test('a WAL that node has open already is shared: commits of both survive a kill of both', async () => {
  for (const reader of ['muhur', 'node']) {
    const directory = mkdtempSync(join(tmpdir(), 'muhur-interop-'));
    const path = join(directory, 'a.db');
    const part = (n, who) => [n * 100, n * 100 + 9, 300, who];
    const node = player('node', path, [wal, keep, table, insert(...part(1, 'node')), insert(...part(3, 'node')), insert(...part(5, 'node'))]);
    const muhur = player('muhur', path, ['SELECT 1', keep, insert(...part(2, 'muhur')), insert(...part(4, 'muhur')), insert(...part(6, 'muhur'))]);
    try {
      await node.begin();
      for (let i = 0; i < 3; i++) await node.turn();
      await muhur.begin();
      await muhur.turn();
      for (let i = 0; i < 2; i++) {
        await muhur.turn();
        await node.turn();
      }
      await muhur.turn();
    } finally {
      await node.kill();
      await muhur.kill();
    }
    holds(reader, path, [1, 2, 3, 4, 5, 6].map((n) => part(n, n % 2 ? 'node' : 'muhur')));
    rmSync(directory, { recursive: true });
  }
});
