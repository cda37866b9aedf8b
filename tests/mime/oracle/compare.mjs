// Compares what our scanner finds with what Dovecot's imap says of the same bytes: RFC822.SIZE,
// BODYSTRUCTURE, ENVELOPE, header fields by name, and the octets of every section.
//
//   node compare.mjs MIME_DUMP [NAME...]
//
// Over the generated corpus, and over the messages under MUHUR_CORPORA or ../shared/corpora (seen from the
// project's root) if they are there. MUHUR_ORACLE_RANDOM sets how many random messages there are. Exits
// with 77, "skipped", where Dovecot is not installed.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Dovecot, dovecotImap, isInstalled } from './dovecot.mjs';
import { bodyStructure, envelope } from './canonical.mjs';
import { explained } from './explained.mjs';
import { parseValues } from './imap_parser.mjs';

const fieldNames = '(Subject To Content-Type X-Long Colon)';
const root = resolve(dirname(new URL(import.meta.url).pathname), '../../..');

const [dumpTool, ...only] = process.argv.slice(2);
if (!isInstalled()) {
  console.log(`skipped: no ${dovecotImap} (Debian: dovecot-imapd)`);
  process.exit(77);
}

const withCrlf = (text) => text.replace(/(^|[^\r])(?=\n)/g, '$1\r');

function messageFiles(directory) {
  return readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.eml'))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}

function gather(directory) {
  execFileSync(dumpTool, ['--corpus', directory, process.env.MUHUR_ORACLE_RANDOM ?? '300']);
  const corpora = process.env.MUHUR_CORPORA ?? join(root, '../shared/corpora');
  if (!existsSync(corpora)) {
    console.log('no corpora beside the project (set MUHUR_CORPORA to use some): the generated one only');
    return;
  }
  for (const path of messageFiles(corpora)) {
    const name = path.slice(resolve(corpora).length + 1).replaceAll('/', '.');
    writeFileSync(join(directory, name), withCrlf(readFileSync(path, 'latin1')), 'latin1');
  }
}

function differences(ours, theirs, bytes) {
  const found = [];
  const check = (what, a, b) => {
    if (!isDeepStrictEqual(a, b)) found.push({ what, ours: a, theirs: b });
  };
  // Dovecot serves a NUL as 0x80.
  const served = (text) => text.replaceAll('\0', '\x80');
  const [, structure, env, fields, sections] = ours;
  check('BODY[]', served(bytes), theirs.get('BODY[]'));
  check('RFC822.SIZE', String(bytes.length), theirs.get('RFC822.SIZE').atom);
  check('BODYSTRUCTURE', bodyStructure(structure), bodyStructure(theirs.get('BODYSTRUCTURE')));
  check('ENVELOPE', envelope(env), envelope(theirs.get('ENVELOPE')));
  const header = [...theirs.keys()].find((key) => key.startsWith('BODY[HEADER.FIELDS'));
  check('HEADER.FIELDS', served(fields) + '\r\n', theirs.get(header));
  for (const [section, headerStart, headerSize, bodyStart, bodySize] of sections) {
    const slice = (start, size) => served(bytes.slice(Number(start.atom), Number(start.atom) + Number(size.atom)));
    check(`BODY[${section}]`, slice(bodyStart, bodySize), theirs.get(`BODY[${section}]`));
    check(`BODY[${section}.MIME]`, slice(headerStart, headerSize), theirs.get(`BODY[${section}.MIME]`));
  }
  return found;
}

const show = (value) => JSON.stringify(value)?.slice(0, 1500);

function run(directory) {
  const corpus = join(directory, 'corpus');
  mkdirSync(corpus);
  gather(corpus);
  const files = messageFiles(corpus).filter((path) => only.length === 0 || only.some((name) => path.includes(name)));
  const dumped = parseValues(execFileSync(dumpTool, files, { encoding: 'latin1', maxBuffer: 1 << 30 }));

  const dovecot = new Dovecot(directory);
  const all = files.map((path, i) => {
    const bytes = readFileSync(path, 'latin1');
    return { name: dumped[i][0].replace(/\.eml$/, ''), bytes, ours: dumped[i], number: dovecot.put(readFileSync(path)) };
  });
  const answers = dovecot.fetch(all.flatMap(({ number, ours }) => [
    [number, `(RFC822.SIZE BODYSTRUCTURE ENVELOPE BODY.PEEK[] BODY.PEEK[HEADER.FIELDS ${fieldNames}])`],
    ...ours[4].map(([section]) => [number, `(BODY.PEEK[${section}] BODY.PEEK[${section}.MIME])`]),
  ]));

  let wrong = 0;
  let compared = 0;
  const used = new Set();
  for (const { name, bytes, ours, number } of all) {
    const found = differences(ours, answers.get(number), bytes);
    compared += 5 + 2 * ours[4].length;
    for (const { what, ours: a, theirs: b } of found) {
      const reason = explained.get(`${name} ${what}`);
      if (reason) {
        used.add(`${name} ${what}`);
        continue;
      }
      wrong += 1;
      console.log(`\n${name}: ${what} differs\n  ours:    ${show(a)}\n  dovecot: ${show(b)}`);
    }
  }
  if (only.length === 0) {
    for (const key of explained.keys()) {
      if (used.has(key)) continue;
      wrong += 1;
      console.log(`\n${key}: explained as a difference, but there is none`);
    }
  }
  console.log(`${all.length} messages, ${compared} comparisons, ${used.size} explained differences, ${wrong} others`);
  return wrong === 0;
}

const directory = mkdtempSync(join(tmpdir(), 'muhur-oracle-'));
let same = false;
try {
  same = run(directory);
} finally {
  rmSync(directory, { recursive: true });
}
process.exit(same ? 0 : 1);
