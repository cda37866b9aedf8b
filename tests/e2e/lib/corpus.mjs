// A varied corpus, the same in every run: { name, bytes } of well-formed, odd and broken messages.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './server.mjs';

// mulberry32: small, seeded.
function randomizer(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const texts = ['Plain words.', 'Merhaba, nasılsın? ığüşöç İĞÜŞÖÇ', '안녕하세요, 반갑습니다.', '新年快乐 🎉', 'Ελληνικά и кириллица',
  'A line with trailing blanks   ', '.', '..', '.leading dot', 'From the start', '--dashes', '-- \nsignature', '\ttab', ''];

function body(random, eol) {
  const lines = [];
  const count = Math.floor(random() * 30);
  for (let i = 0; i < count; ++i) lines.push(texts[Math.floor(random() * texts.length)]);
  return lines.join('\n').replaceAll('\n', eol) + (random() < 0.8 ? eol : '');
}

const types = ['text/plain; charset=utf-8', 'text/html; charset="utf-8"', 'application/octet-stream; name="a b.bin"',
  'image/png', 'text/plain; charset=iso-8859-9; format=flowed', 'application/pdf', 'text/calendar; method=REQUEST',
  'message/rfc822', "text/plain; name*0*=utf-8''%C3%BC; name*1=ber.txt"];

function part(random, depth, eol) {
  if (depth > 0 && random() < 0.45) {
    const boundary = `b_${Math.floor(random() * 1e9).toString(36)}`;
    const kind = ['mixed', 'alternative', 'related', 'digest', 'report', 'x-unknown'][Math.floor(random() * 6)];
    let text = `Content-Type: multipart/${kind};${eol}\tboundary="${boundary}"${eol}${eol}`;
    if (random() < 0.5) text += `preamble${eol}`;
    const count = Math.floor(random() * 4);
    for (let i = 0; i < count; ++i) text += `--${boundary}${eol}${part(random, depth - 1, eol)}${eol}`;
    if (random() < 0.85) text += `--${boundary}--${eol}`;
    if (random() < 0.3) text += `epilogue${eol}`;
    return text;
  }
  const type = types[Math.floor(random() * types.length)];
  let head = random() < 0.85 ? `Content-Type: ${type}${eol}` : '';
  if (random() < 0.5) head += `Content-Transfer-Encoding: ${['7bit', '8bit', 'base64', 'quoted-printable', 'binary'][Math.floor(random() * 5)]}${eol}`;
  if (random() < 0.3) head += `Content-Disposition: attachment; filename="file ${Math.floor(random() * 99)}.txt"${eol}`;
  const inner = type === 'message/rfc822' ? `Subject: inner${eol}${eol}` : '';
  return head + eol + inner + body(random, eol);
}

function generated() {
  const random = randomizer(20261130);
  const all = [];
  for (let i = 0; i < 90; ++i) {
    const eol = i % 3 === 0 ? '\n' : '\r\n';
    let head = `From: Sender ${i} <s${i}@example.com>${eol}To: alice@example.org${eol}`;
    if (random() < 0.9) head += `Subject: ${['generated', '=?UTF-8?B?8J+OiSDmlrDlubQ=?=', 'ham ıçü 한', '  folded' + eol + '  subject'][Math.floor(random() * 4)]} ${i}${eol}`;
    if (random() < 0.9) head += `Message-ID: <g${i}@example.com>${eol}Date: Mon, 30 Nov 2026 10:00:${String(i % 60).padStart(2, '0')} +0300${eol}`;
    all.push({ name: `generated-${i}${eol === '\n' ? '-lf' : ''}`, bytes: Buffer.from(head + `MIME-Version: 1.0${eol}` + part(random, 4, eol)) });
  }
  return all;
}

function special() {
  const make = (name, text) => ({ name, bytes: Buffer.from(text, 'latin1') });
  const random = randomizer(7);
  const noise = Buffer.from(Array.from({ length: 70_000 }, () => {
    const byte = Math.floor(random() * 256);
    return byte === 0 || byte === 10 || byte === 13 ? 88 : byte;
  }));
  const deep = Array.from({ length: 150 }, (_, i) => `Content-Type: multipart/mixed; boundary="d${i}"\r\n\r\n--d${i}\r\n`).join('');
  const attachment = Buffer.alloc(10 << 20, 'QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ejAxMjM0NTY3\r\n');
  return [
    make('one-line', 'x'),
    make('only-crlf', '\r\n'),
    make('only-lf', '\n'),
    make('only-dots', '.\r\n..\r\n...\r\n.\r\n'),
    make('dot-at-the-end', 'Subject: d\r\n\r\nlast\r\n.'),
    make('header-only', 'Subject: no body, no blank line\r\nFrom: a@example.com'),
    make('header-only-lf', 'Subject: no body\nFrom: a@example.com\n'),
    make('body-only', '\r\nno header at all\r\n'),
    make('no-colon', 'this is not a header\r\nSubject: but this is\r\n\r\nbody\r\n'),
    make('mixed-line-ends', 'Subject: mixed\nFrom: a@example.com\r\n\nbody\r\nline\nlast'),
    make('bare-cr', 'Subject: bare\r\n\r\na\rb\rc\r\n'),
    make('bare-cr-dot', 'Subject: bare\r\n\r\na\r.\rb\r\n'),
    make('space-before-colon', 'Subject : spaced\r\n\r\nbody\r\n'),
    make('mbox-from', 'From sender Mon Nov 30 10:00:00 2026\r\nSubject: s\r\n\r\nFrom here\r\n>From there\r\n'),
    make('long-line', 'Subject: long\r\n\r\n' + 'x'.repeat(200_000) + '\r\n'),
    make('long-header', 'Subject: ' + 'y'.repeat(100_000) + '\r\n\r\nbody\r\n'),
    make('many-headers', Array.from({ length: 5000 }, (_, i) => `X-Header-${i}: value ${i}\r\n`).join('') + '\r\nbody\r\n'),
    make('many-parts', 'Content-Type: multipart/mixed; boundary=m\r\n\r\n' + '--m\r\n\r\nx\r\n'.repeat(2000) + '--m--\r\n'),
    make('deep', deep + 'bottom\r\n'),
    make('unclosed', 'Content-Type: multipart/mixed; boundary="u"\r\n\r\n--u\r\nContent-Type: text/plain\r\n\r\nnever closed'),
    make('no-boundary', 'Content-Type: multipart/mixed\r\n\r\n--x\r\n\r\nbody\r\n--x--\r\n'),
    make('empty-boundary', 'Content-Type: multipart/mixed; boundary=""\r\n\r\n--\r\n\r\nbody\r\n----\r\n'),
    make('boundary-is-prefix', 'Content-Type: multipart/mixed; boundary=a\r\n\r\n--a\r\nContent-Type: multipart/mixed; boundary=ab\r\n\r\n--ab\r\n\r\nin\r\n--ab--\r\n--a--\r\n'),
    make('latin1-header', 'Subject: caf\xe9 \xfc\xf6\r\nFrom: \xfe <a@example.com>\r\n\r\n\xe7\r\n'),
    make('bad-utf8', 'Subject: \xff\xfe\xc3\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n\xc3\x28\xa0\xa1\r\n'),
    make('bad-base64', 'Content-Type: text/plain\r\nContent-Transfer-Encoding: base64\r\n\r\n%%%=A=B\r\n'),
    make('bad-encoded-word', 'Subject: =?utf-8?B?****?= =?x-none?Q?=GG?= =?utf-8?Q?open\r\n\r\nb\r\n'),
    make('many-parameters', 'Content-Type: text/plain;' + Array.from({ length: 3000 }, (_, i) => ` p${i}=v;`).join('\r\n') + '\r\n\r\nb\r\n'),
    make('own-trace', 'Return-Path: <other@example.com>\r\nReceived: from a by b; Mon, 30 Nov 2026 10:00:00 +0000\r\nSubject: t\r\n\r\nb\r\n'),
    { name: 'noise', bytes: Buffer.concat([Buffer.from('Subject: noise\r\nContent-Type: application/octet-stream\r\nContent-Transfer-Encoding: 8bit\r\n\r\n'), noise, Buffer.from('\r\n')]) },
    { name: 'ten-megabytes', bytes: Buffer.concat([Buffer.from('Subject: large\r\nContent-Type: application/octet-stream; name=large.bin\r\nContent-Transfer-Encoding: base64\r\n\r\n'), attachment, Buffer.from('\r\n')]) },
  ];
}

// Messages beside the project, when they are there.
function shared() {
  const directory = join(root, '../shared/corpora');
  if (!existsSync(directory)) return [];
  const found = [];
  const walk = (at) => {
    for (const entry of readdirSync(at, { withFileTypes: true })) {
      const path = join(at, entry.name);
      if (entry.isDirectory()) walk(path);
      else if (!/README|LICENSE|NOTICE|\.(?:md|json|xml|txt)$/i.test(entry.name)) found.push({ name: path.slice(directory.length + 1), bytes: readFileSync(path) });
    }
  };
  walk(directory);
  return found.filter(({ bytes }) => bytes.length > 0);
}

export const ownCorpus = () => [...generated(), ...special()];
export const sharedCorpus = shared;
