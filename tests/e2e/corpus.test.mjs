// Bytes out equal bytes in: every message of the corpus, by LMTP and by APPEND, before and after a restart.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ownCorpus, sharedCorpus } from './lib/corpus.mjs';
import { Imap } from './lib/imap.mjs';
import { Lmtp } from './lib/lmtp.mjs';
import { goesByBdat, sha256, splitTrace, tracePattern, withCrlf } from './lib/messages.mjs';
import { Installation } from './lib/server.mjs';

const password = 'corpus password';
let installation;
let endpoints;
before(async () => {
  installation = new Installation({ lmtp: password, append: password, shared: password });
  endpoints = await installation.start();
});
after(() => installation?.remove());

const login = (name) => Imap.login(endpoints.imap, `${name}@example.org`, password);
const hasNul = ({ bytes }) => bytes.includes(0);

// The sum of partial fetches, each of a length of its own, is the whole.
async function inParts(client, uid, size) {
  const parts = [];
  for (let at = 0, length = 1 + Math.floor(size / 3); at < size; at += length) {
    const { untagged } = await client.command(`UID FETCH ${uid} (BODY.PEEK[]<${at}.${length}>)`);
    parts.push(untagged.find(({ text }) => text.includes(`BODY[]<${at}>`)).literals[0]);
  }
  return Buffer.concat(parts);
}

async function checkAppended(user, corpus) {
  const client = await login(user);
  const served = await client.everything('INBOX');
  assert.equal(served.length, corpus.length);
  const wrong = [];
  for (const [i, { name, bytes }] of corpus.entries()) {
    const wanted = withCrlf(bytes);
    if (sha256(served[i].bytes) !== sha256(wanted)) wrong.push(`${name}: ${served[i].bytes.length} bytes for ${wanted.length}`);
    if (served[i].size !== wanted.length) wrong.push(`${name}: RFC822.SIZE ${served[i].size} for ${wanted.length}`);
  }
  assert.deepEqual(wrong, []);
  for (const [i, { name, bytes }] of corpus.entries())
    if (bytes.length > 10) assert.equal(sha256(await inParts(client, served[i].uid, served[i].size)), sha256(served[i].bytes), name);
  client.close();
}

async function checkDelivered(user, corpus) {
  const client = await login(user);
  const served = await client.everything('INBOX');
  assert.equal(served.length, corpus.length);
  const wrong = [];
  for (const [i, { name, bytes }] of corpus.entries()) {
    const wanted = withCrlf(bytes);
    const { trace, message } = splitTrace(served[i].bytes, wanted.length);
    if (sha256(message) !== sha256(wanted)) wrong.push(`${name}: bytes differ`);
    if (!tracePattern.test(trace)) wrong.push(`${name}: before the message stands ${JSON.stringify(trace.slice(0, 300))}`);
    if (!trace.includes(`Delivered-To: ${user}@example.org`) && !/Delivered-To: <?\S+@example\.org/.test(trace)) wrong.push(`${name}: no Delivered-To`);
    if (served[i].size !== served[i].bytes.length) wrong.push(`${name}: RFC822.SIZE`);
  }
  assert.deepEqual(wrong, []);
  client.close();
}

const append = async (user, corpus) => {
  const client = await login(user);
  for (const { name, bytes } of corpus) {
    const { status, text } = await client.append('INBOX', bytes);
    assert.equal(status, 'OK', `${name}: ${text}`);
  }
  client.close();
};
const deliver = async (user, corpus) => {
  const sender = await Lmtp.open(endpoints.lmtp);
  for (const { name, bytes } of corpus) {
    const [{ code, text }] = await sender.deliver({ to: [`${user}@example.org`], message: bytes, chunked: goesByBdat(bytes) });
    assert.equal(code, 250, `${name}: ${text}`);
  }
  await sender.quit();
};

const own = ownCorpus();
test(`${own.length} generated messages come back from APPEND as they were`, async () => {
  assert.ok(own.length >= 100);
  await append('append', own);
  await checkAppended('append', own);
});

test('they come back from LMTP as they were, behind what delivery adds', async () => {
  await deliver('lmtp', own);
  await checkDelivered('lmtp', own);
});

test('and once more after a restart', async () => {
  assert.equal((await installation.stop()).code, 0);
  endpoints = await installation.start();
  await checkAppended('append', own);
  await checkDelivered('lmtp', own);
});

const others = sharedCorpus();
test('messages of other projects\' tests come back as they were', { skip: others.length === 0 && 'there is no ../shared/corpora' }, async () => {
  await deliver('shared', others);
  await checkDelivered('shared', others);
  const appendable = others.filter((message) => !hasNul(message));
  const client = await login('append');
  await client.command('CREATE Others');
  for (const { name, bytes } of appendable) {
    const { status, text } = await client.append('Others', bytes);
    assert.equal(status, 'OK', `${name}: ${text}`);
  }
  const served = await client.everything('Others');
  for (const [i, { name, bytes }] of appendable.entries()) assert.equal(sha256(served[i].bytes), sha256(withCrlf(bytes)), name);
  client.close();
});
