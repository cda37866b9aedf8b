// The MIME scanner against Dovecot's imap: see oracle/compare.mjs. Skipped where Dovecot is not installed.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const dump = process.env.MUHUR_MIME_DUMP ?? join(here, '..', '..', 'build', 'release', 'tests', 'mime_dump');
const kSkipped = 77;

test('structures, envelopes and sections equal what Dovecot gives for the same bytes', (t) => {
  assert.ok(existsSync(dump), `${dump} is not built: run ./test, or name it in MUHUR_MIME_DUMP`);
  const ran = spawnSync(process.execPath, [join(here, 'oracle', 'compare.mjs'), dump], { encoding: 'utf8' });
  if (ran.status === kSkipped) return t.skip(ran.stdout.trim().split('\n').at(-1));
  t.diagnostic(ran.stdout.trim().split('\n').at(-1));
  assert.equal(ran.status, 0, ran.stdout + ran.stderr);
});
