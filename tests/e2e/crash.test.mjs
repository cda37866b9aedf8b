// kill -9 of the server, again and again, while mail comes in by LMTP and by APPEND: what was acknowledged is
// there once, what was not is there at most once, UIDs stay what they were said to be, and the files are sound.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Imap } from './lib/imap.mjs';
import { Lmtp } from './lib/lmtp.mjs';
import { simpleMessage, testId } from './lib/messages.mjs';
import { Installation, quick } from './lib/server.mjs';

const rounds = quick ? 15 : 200;
const password = 'crash password';
const names = ['alice', 'bob', 'carol'];
const installation = new Installation(Object.fromEntries(names.map((name) => [name, password])));
after(() => installation.remove());

const acknowledged = new Map(); // "user id" -> uid, or 0 where the reply tells none
const offered = new Set();      // "user id" of every APPEND begun
let retry = [];                 // deliveries without an answer: an MTA sends them again
let number = 0;

const filler = (n) => 'abcdefgh ijklmnop qrstuvwx\r\n'.repeat(n % 50 ? n % 50 : 4000);

// Delivers until the server is gone. One message may go to several users, each with its own answer.
async function deliverUntilKilled(endpoint, progress) {
  const client = await Lmtp.open(endpoint);
  for (;;) {
    const again = retry.shift();
    const job = again ?? { id: `lmtp-${++number}`, to: names.slice(0, 1 + (number % names.length)) };
    const message = simpleMessage({ id: job.id, subject: 'crash', body: filler(Number(job.id.slice(5))) });
    let replies;
    try {
      replies = await client.deliver({ to: job.to.map((name) => `${name}@example.org`), message });
    } catch {
      retry.push(job);
      return;
    }
    for (const [i, { code, text }] of replies.entries()) {
      assert.equal(code, 250, text);
      acknowledged.set(`${job.to[i]} ${job.id}`, 0);
      progress.count += 1;
    }
  }
}

async function appendUntilKilled(endpoint, name, progress) {
  const client = await Imap.login(endpoint, `${name}@example.org`, password);
  for (;;) {
    const id = `append-${++number}`;
    offered.add(`${name} ${id}`);
    const reply = await client.append('INBOX', simpleMessage({ id, subject: 'crash', body: filler(number) }));
    assert.equal(reply.status, 'OK', reply.text);
    acknowledged.set(`${name} ${id}`, Number(/APPENDUID \d+ (\d+)/.exec(reply.text)[1]));
    progress.count += 1;
  }
}

// An error of the test itself must not pass for the end of a connection.
const untilGone = (work) => work.catch((error) => {
  if (error instanceof assert.AssertionError || /LOGIN: NO/.test(error.message)) throw error;
});

test(`after ${rounds} times kill -9 everything acknowledged is there, once`, { timeout: 840_000 }, async () => {
  let productive = 0;
  for (let round = 0; round < rounds; ++round) {
    const { imap, lmtp } = await installation.start();
    const progress = { count: 0 };
    const workers = [
      ...[1, 2, 3].map(() => untilGone(deliverUntilKilled(lmtp, progress))),
      ...names.slice(0, 2).map((name) => untilGone(appendUntilKilled(imap, name, progress))),
    ];
    // A moment that differs from round to round: in the first logins as well as in the midst of traffic.
    await new Promise((wake) => setTimeout(wake, 15 + ((round * 37) % 140)));
    await installation.stop('SIGKILL');
    await Promise.all(workers);
    if (progress.count > 0) productive += 1;
  }
  assert.ok(productive > rounds / 3, `only ${productive} of ${rounds} rounds stored anything`);

  const { imap, lmtp } = await installation.start();
  const last = await Lmtp.open(lmtp);
  for (const { id, to } of retry) {
    const message = simpleMessage({ id, subject: 'crash', body: filler(Number(id.slice(5))) });
    const replies = await last.deliver({ to: to.map((name) => `${name}@example.org`), message });
    for (const [i, { code, text }] of replies.entries()) {
      assert.equal(code, 250, text);
      acknowledged.set(`${to[i]} ${id}`, 0);
    }
  }
  await last.quit();

  const wrong = [];
  let stored = 0;
  for (const name of names) {
    const client = await Imap.login(imap, `${name}@example.org`, password);
    // A sign-in moves the first of what waits in the spool before it answers, and the rest behind it.
    const due = [...acknowledged.keys()].filter((key) => key.startsWith(`${name} `)).length;
    for (const patience = Date.now() + 60_000; Date.now() < patience; await new Promise((wake) => setTimeout(wake, 200))) {
      const { untagged } = await client.command('STATUS INBOX (MESSAGES)');
      if (Number(/MESSAGES (\d+)/.exec(untagged[0].text)[1]) >= due) break;
    }
    const found = new Map();
    const uids = new Set();
    for (const { uid, size, bytes } of await client.everything('INBOX')) {
      const id = testId(bytes);
      stored += 1;
      if (uids.has(uid)) wrong.push(`${name}: UID ${uid} twice`);
      uids.add(uid);
      if (found.has(id)) wrong.push(`${name}: ${id} twice, as UID ${found.get(id)} and ${uid}`);
      found.set(id, uid);
      const expected = simpleMessage({ id, subject: 'crash', body: filler(Number(id.replace(/\D+/, ''))) });
      if (!bytes.subarray(bytes.length - expected.length).equals(expected)) wrong.push(`${name}: ${id} is not what was sent`);
      if (size !== bytes.length) wrong.push(`${name}: ${id} has another size`);
      if (!acknowledged.has(`${name} ${id}`) && !offered.has(`${name} ${id}`)) wrong.push(`${name}: ${id} was never sent`);
    }
    for (const [key, uid] of acknowledged) {
      const [owner, id] = key.split(' ');
      if (owner !== name) continue;
      if (!found.has(id)) wrong.push(`${name}: ${id} was acknowledged and is gone`);
      else if (uid !== 0 && found.get(id) !== uid) wrong.push(`${name}: ${id} was UID ${uid} and is ${found.get(id)}`);
    }
    client.close();
  }
  assert.deepEqual(wrong.slice(0, 20), []);
  assert.ok(stored > rounds, `${stored} messages`);
  await installation.stop();
  for (const name of names) {
    const checked = installation.run(['doctor', '--user', `${name}@example.org`, '--password-file', installation.passwordFile(name), '--json']);
    assert.equal(checked.code, 0, checked.stdout + checked.stderr);
    assert.equal(JSON.parse(checked.stdout).sound, true);
  }
});
