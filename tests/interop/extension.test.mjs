// libmuhur_vault in programs that know nothing of Muhur: the sqlite3 shell and Python, each with its own
// SQLite, against each other and against SQLite3 Multiple Ciphers. Needs `npm install` here and the library,
// found through MUHUR_VAULT_EXTENSION or where a build leaves it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import Database from 'better-sqlite3-multiple-ciphers';

const here = dirname(fileURLToPath(import.meta.url));
const built = ['build/libmuhur_vault.so', 'build/dev/libmuhur_vault.so']
  .map((file) => join(here, '../..', file))
  .filter((file) => existsSync(file))
  .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
const library = (process.env.MUHUR_VAULT_EXTENSION ?? built[0])?.replace(/\.so$/, '');
const oracle = join(here, 'oracle.mjs');
const rawHex = '00112233445566778899aabbccddeeff'.repeat(2);

function run(program, args, input) {
  const done = spawnSync(program, args, { input, encoding: 'utf8', maxBuffer: 1 << 26 });
  if (done.error) throw done.error;
  return done;
}
const lines = (text) => text.trim().split('\n').filter(Boolean);

// SQL on one file (and what it attaches), each row's first column a line. Throws SQLite's message.
const programs = {
  shell(file, statements) {
    const script = ['.bail on', `.load ${library}`, `.open '${file}'`, ...statements.map((sql) => `${sql};`)];
    const done = run('sqlite3', ['-batch', '-init', '/dev/null'], script.join('\n') + '\n');
    if (done.stderr.trim()) throw new Error(done.stderr);
    assert.equal(done.status, 0);
    return lines(done.stdout);
  },
  python(file, statements) {
    const script = `
import json, sqlite3, sys
library, file, statements = json.load(sys.stdin)
loader = sqlite3.connect(':memory:')
loader.enable_load_extension(True)
loader.load_extension(library)
db = sqlite3.connect(file, isolation_level=None, uri=file.startswith('file:'))
for sql in statements:
    for row in db.execute(sql):
        print(row[0])
db.close()
`;
    const done = run(python, ['-c', script], JSON.stringify([library, file, statements]));
    if (done.status !== 0) throw new Error(done.stderr);
    return lines(done.stdout);
  },
};
const python = ['/usr/bin/python3', 'python3'].find((program) =>
  run(program, ['-c', "import sqlite3; sqlite3.connect(':memory:').enable_load_extension(True)"]).status === 0);
const skip = { shell: false, python: python ? false : 'no Python here loads extensions' };

function node(file, pragmas, statements) {
  const db = new Database(file);
  try {
    for (const pragma of pragmas) db.pragma(pragma);
    return statements.flatMap((sql) => {
      const statement = db.prepare(sql);
      if (statement.reader) return statement.raw().all().map(([value]) => String(value));
      statement.run();
      return [];
    });
  } finally {
    db.close();
  }
}

const fill = [
  'CREATE TABLE t(id INTEGER PRIMARY KEY, body TEXT)',
  `WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c WHERE x<300)
   INSERT INTO t SELECT x, 'row '||x||' '||replace(hex(zeroblob(150)),'00','ab') FROM c`,
];
const look = ['SELECT count(*)||\' \'||sum(id) FROM t', 'PRAGMA integrity_check'];
const full = ['300 45150', 'ok'];
const marker = 'abababababab';

function inDirectory(work) {
  const directory = mkdtempSync(join(tmpdir(), 'muhur-extension-'));
  try {
    return work((name) => join(directory, name));
  } finally {
    rmSync(directory, { recursive: true });
  }
}
const isSealed = (file) => !readFileSync(file).includes(marker);

test('the library is there', () => assert.ok(library && existsSync(`${library}.so`), 'build muhur_vault_extension'));

const keys = {
  'a passphrase': ["key='a pass phrase'", "key='a pass phrase'"],
  'a hexkey': ["hexkey='6120706173732070687261736500ff'", "hexkey='6120706173732070687261736500ff'"],
  'raw: and hex': [`key='raw:${rawHex}'`, `key='raw:${rawHex}'`],
  'a raw key in quotes': [`key="x'${rawHex}'"`, `key="x'${rawHex}'"`],
  'a raw key with its salt': [`key='raw:${rawHex}${rawHex.slice(0, 32)}'`, `key='raw:${rawHex}${rawHex.slice(0, 32)}'`],
};

for (const [name, query] of Object.entries(programs)) {
  const options = { skip: skip[name] };
  for (const [form, [ours, theirs]] of Object.entries(keys)) {
    test(`${name}: what is made under ${form} opens in SQLite3 Multiple Ciphers, and the other way`, options, () =>
      inDirectory((at) => {
        assert.deepEqual(query(at('a.db'), [`PRAGMA ${ours}`, ...fill, ...look]), ['ok', ...full]);
        assert.ok(isSealed(at('a.db')));
        assert.deepEqual(node(at('a.db'), [theirs], look), full);
        node(at('b.db'), [theirs], fill);
        assert.deepEqual(query(at('b.db'), [`PRAGMA ${ours}`, ...look]), ['ok', ...full]);
      }));
  }

  for (const mode of ['DELETE', 'WAL']) {
    test(`${name}: rekey in ${mode} mode changes the key for both`, options, () =>
      inDirectory((at) => {
        node(at('a.db'), ["key='old'", `journal_mode=${mode}`], fill);
        assert.deepEqual(query(at('a.db'), ["PRAGMA key='old'", "PRAGMA rekey='new'", ...look]), ['ok', 'ok', ...full]);
        assert.deepEqual(node(at('a.db'), ["key='new'"], look), full);
        assert.throws(() => node(at('a.db'), ["key='old'"], look), /not a database/);
        query(at('a.db'), ["PRAGMA key='new'", `PRAGMA hexrekey='${Buffer.from(`raw:${rawHex}`).toString('hex')}'`]);
        assert.deepEqual(node(at('a.db'), [`key='raw:${rawHex}'`], look), full);
        node(at('a.db'), [`key='raw:${rawHex}'`, "rekey='theirs'"], []);
        assert.deepEqual(query(at('a.db'), ["PRAGMA key='theirs'", ...look]), ['ok', ...full]);
      }));

    test(`${name}: what a killed program left in ${mode} mode is recovered`, options, () =>
      inDirectory((at) => {
        const spill = mode === 'WAL' ? ['PRAGMA wal_autocheckpoint=0'] : [];
        const open = mode === 'WAL' ? [] : ['PRAGMA cache_size=5', 'BEGIN', "UPDATE t SET body=body||'x'"];
        const killed = run(process.execPath, [oracle, at('a.db'), Buffer.from('old').toString('hex'), 'chacha20',
          `PRAGMA journal_mode=${mode}`, ...spill, ...fill, ...open, '!kill']);
        assert.equal(killed.signal, 'SIGKILL', killed.stderr);
        const left = at(`a.db-${mode === 'WAL' ? 'wal' : 'journal'}`);
        assert.ok(statSync(left).size > 10_000);
        const before = readFileSync(left);
        assert.throws(() => query(at('a.db'), look), /not a database/);
        assert.deepEqual(readFileSync(left), before, 'untouched without the key');
        assert.deepEqual(query(at('a.db'), ["PRAGMA key='old'", ...look]), ['ok', ...full]);
      }));
  }

  test(`${name}: the cipher of older files is found out, or named`, options, () =>
    inDirectory((at) => {
      node(at('aes.db'), ["cipher='aes256cbc'", "key='old'"], fill);
      assert.deepEqual(query(at('aes.db'), ["PRAGMA key='old'", 'PRAGMA cipher', ...look]), ['ok', 'aes256cbc', ...full]);
      node(at('sqleet.db'), ["cipher='chacha20'", 'legacy=1', "key='old'"], fill);
      const legacy = ["PRAGMA cipher='chacha20'", 'PRAGMA legacy=1', "PRAGMA key='old'", 'PRAGMA cipher'];
      assert.deepEqual(query(at('sqleet.db'), [...legacy, ...look]), ['chacha20', '1', 'ok', 'sqleet', ...full]);
      query(at('new.db'), ["PRAGMA cipher='aes256cbc'", "PRAGMA key='old'", ...fill]);
      assert.deepEqual(node(at('new.db'), ["cipher='aes256cbc'", "key='old'"], look), full);
      assert.throws(() => query(at('new.db'), ["PRAGMA cipher='rot13'"]), /unknown cipher/);
    }));

  test(`${name}: a damaged page is an error, and hmac_check=0 reads it`, options, () =>
    inDirectory((at) => {
      node(at('a.db'), ["key='old'"], fill);
      const bytes = readFileSync(at('a.db'));
      bytes[4096 * 5 + 2000] ^= 1;
      writeFileSync(at('a.db'), bytes);
      assert.throws(() => query(at('a.db'), ["PRAGMA key='old'", 'SELECT sum(length(body)) FROM t']), /malformed/);
      const read = query(at('a.db'), ["PRAGMA key='old'", 'PRAGMA hmac_check', 'PRAGMA hmac_check=0', 'SELECT count(body) FROM t']);
      assert.deepEqual(read, ['ok', '1', '0', '300']);
    }));

  test(`${name}: databases are attached with their own key, the main one's, or none`, options, () =>
    inDirectory((at) => {
      node(at('b.db'), ["key='other'"], fill);
      node(at('c.db'), ["key='main'"], fill);
      const counts = query(at('a.db'), [
        "PRAGMA key='main'", 'CREATE TABLE u(x)',
        `ATTACH 'file:${at('b.db')}?key=other' AS b`, `ATTACH '${at('c.db')}' AS c`,
        `ATTACH 'file:${at('d.db')}?hexkey=6e6577' AS d`, 'CREATE TABLE d.t AS SELECT * FROM b.t',
        `ATTACH 'file:${at('plain.db')}?key=' AS p`, 'CREATE TABLE p.t AS SELECT * FROM c.t',
        'SELECT (SELECT count(*) FROM b.t)||(SELECT count(*) FROM c.t)||(SELECT count(*) FROM d.t)',
      ]);
      assert.deepEqual(counts, ['ok', '300300300']);
      assert.deepEqual(node(at('d.db'), ["key='new'"], look), full);
      assert.deepEqual(node(at('plain.db'), [], look), full);
      assert.throws(() => query(at('a.db'), ["PRAGMA key='main'", `ATTACH 'file:${at('b.db')}?key=wrong' AS b`]), /not a database/);
    }));

  test(`${name}: VACUUM INTO encrypts a plain database and takes the key away again`, options, () =>
    inDirectory((at) => {
      node(at('plain.db'), [], fill);
      query(at('plain.db'), [`VACUUM INTO 'file:${at('sealed.db')}?key=k'`]);
      assert.ok(isSealed(at('sealed.db')));
      assert.deepEqual(node(at('sealed.db'), ["key='k'"], look), full);
      query(at('sealed.db'), ["PRAGMA key='k'", `VACUUM INTO 'file:${at('back.db')}?key='`]);
      assert.deepEqual(node(at('back.db'), [], look), full);
      assert.throws(() => query(at('plain.db'), ["PRAGMA key='k'"]), /VACUUM INTO/);
    }));
}

test('the shell opens a URI with a key, and VACUUM and page sizes work as ever', () =>
  inDirectory((at) => {
    const uri = `file:${at('a.db')}?key=k`;
    programs.shell(uri, ['PRAGMA page_size=8192', 'PRAGMA auto_vacuum=FULL', ...fill, 'DELETE FROM t WHERE id>100', 'VACUUM']);
    copyFileSync(at('a.db'), at('b.db'));
    const seen = ['SELECT count(*) FROM t', 'PRAGMA page_size', 'PRAGMA auto_vacuum', 'PRAGMA integrity_check'];
    assert.deepEqual(programs.shell(uri, seen), ['100', '8192', '1', 'ok']);
    assert.deepEqual(node(at('b.db'), ["key='k'"], seen), ['100', '8192', '1', 'ok']);
  }));
