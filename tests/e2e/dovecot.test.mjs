// BODYSTRUCTURE, ENVELOPE, RFC822.SIZE and sections as the whole server gives them, against Dovecot's imap on
// the same bytes. (tests/mime/oracle holds the scanner alone against it; this holds what clients are told.)
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bodyStructure, envelope } from '../mime/oracle/canonical.mjs';
import { Dovecot, isInstalled } from '../mime/oracle/dovecot.mjs';
import { parseResponses } from '../mime/oracle/imap_parser.mjs';
import { ownCorpus, sharedCorpus } from './lib/corpus.mjs';
import { Imap } from './lib/imap.mjs';
import { withCrlf } from './lib/messages.mjs';
import { Installation } from './lib/server.mjs';

const password = 'corpus password';
const items = '(RFC822.SIZE BODYSTRUCTURE ENVELOPE BODY.PEEK[HEADER] BODY.PEEK[TEXT])';
let installation;
let endpoints;
let directory;
before(async () => {
  directory = mkdtempSync(join(tmpdir(), 'muhur-dovecot-'));
  installation = new Installation({ peer: password });
  endpoints = await installation.start();
});
after(() => {
  installation?.remove();
  rmSync(directory, { recursive: true, force: true });
});

// Two differences are meant, and taken off both before they are compared. Dovecot makes one space of a run of
// white space. And it passes raw 8-bit header text on, where we say the same in an encoded word: a client that
// did not ENABLE UTF8=ACCEPT must not meet 8-bit text outside a literal.
const word = /=\?[\w-]+\?B\?([\w+/=]*)\?=/gi;
const raw = (text) => text.replace(word, (_, base64) => Buffer.from(base64, 'base64').toString('latin1'));
const is8Bit = (text) => /[\x80-\xff]/.test(text);
function plain(mine, peer) {
  if (Array.isArray(mine) && Array.isArray(peer)) {
    const pairs = mine.map((value, i) => plain(value, peer[i]));
    return [pairs.map(([value]) => value), [...pairs.map(([, value]) => value), ...peer.slice(mine.length)]];
  }
  if (typeof mine !== 'string' || typeof peer !== 'string') return [mine, peer];
  const folded = (text) => text.replace(/\s+/g, ' ');
  return [folded(is8Bit(peer) ? raw(mine.replaceAll('?= =?', '?==?')) : mine), folded(peer)];
}

// Messages on which we part from Dovecot on purpose.
const explained = new Map([
  ['many-parameters BODYSTRUCTURE', 'of 3,000 parameters we keep the first 100'],
]);

// Our responses put together again as they stood on the wire.
async function fetchOurs(count) {
  const client = await Imap.login(endpoints.imap, 'peer@example.org', password);
  await client.command('EXAMINE INBOX');
  const { status, untagged } = await client.command(`FETCH 1:${count} ${items}`);
  assert.equal(status, 'OK');
  client.close();
  const wire = untagged.map(({ text, literals }) => {
    let next = 0;
    return `${text.replace(/\{(\d+)\}/g, (all, size) =>
      literals[next]?.length === Number(size) ? `${all}\r\n${literals[next++].toString('latin1')}` : all)}\r\n`;
  });
  return parseResponses(wire.join(''));
}

test('every message of the corpus is described as Dovecot describes it', async (t) => {
  if (!isInstalled()) return t.skip('dovecot-imapd is not installed');
  const served = (text) => text.replaceAll('\0', '\x80'); // Dovecot serves a NUL as 0x80
  // Large ones say nothing more of structure; an empty one is no message to Dovecot.
  const corpus = [...ownCorpus(), ...(sharedCorpus() ?? [])].filter(({ bytes }) => bytes.length > 0 && bytes.length < 200_000);
  const dovecot = new Dovecot(directory);
  const client = await Imap.login(endpoints.imap, 'peer@example.org', password);
  for (const { name, bytes } of corpus) {
    const { status, text } = await client.append('INBOX', withCrlf(bytes));
    assert.equal(status, 'OK', `${name}: ${text}`);
    dovecot.put(withCrlf(bytes));
  }
  client.close();
  const theirs = dovecot.fetch(corpus.map((_, i) => [i + 1, items]));
  const ours = await fetchOurs(corpus.length);
  const wrong = [];
  for (const [i, { name }] of corpus.entries()) {
    const [mine, peer] = [ours.get(i + 1), theirs.get(i + 1)];
    const check = (what, a, b) => {
      try {
        assert.deepEqual(a, b);
      } catch {
        if (!explained.has(`${name} ${what}`)) wrong.push(`${name}: ${what}\n  ours:    ${JSON.stringify(a).slice(0, 600)}\n  dovecot: ${JSON.stringify(b).slice(0, 600)}`);
      }
    };
    check('RFC822.SIZE', mine.get('RFC822.SIZE').atom, peer.get('RFC822.SIZE').atom);
    check('BODYSTRUCTURE', ...plain(bodyStructure(mine.get('BODYSTRUCTURE')), bodyStructure(peer.get('BODYSTRUCTURE'))));
    check('ENVELOPE', ...plain(envelope(mine.get('ENVELOPE')), envelope(peer.get('ENVELOPE'))));
    for (const section of ['BODY[HEADER]', 'BODY[TEXT]']) check(section, served(mine.get(section)), peer.get(section));
  }
  assert.equal(wrong.length, 0, `${wrong.length} differences:\n${wrong.slice(0, 20).join('\n')}`);
});
