// Mail that could not be moved to its mailbox, by the command line: listed, released after a repair, discarded.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Imap } from './lib/imap.mjs';
import { simpleMessage, testId } from './lib/messages.mjs';
import { Installation } from './lib/server.mjs';

const installation = new Installation({ alice: 'first password' });
after(() => installation.remove());
const alice = 'alice@example.org';
const held = () => JSON.parse(installation.must(['held', 'list', '--json']).stdout);
const spool = (sql) => installation.must(['db', 'shell', 'spool', '--write', '--command', sql]);
const inbox = async () => {
  const client = await Imap.login(installation.endpoints.imap, alice, 'first password');
  const ids = (await client.everything('INBOX')).map(({ bytes }) => testId(bytes));
  client.close();
  return ids;
};

test('nothing is held at first, and what is wrong is told', () => {
  assert.deepEqual(held(), []);
  assert.match(installation.must(['held', 'list']).stdout, /^ID +FOR +SIZE/);
  assert.equal(installation.run(['held', 'release']).code, 2);
  assert.equal(installation.run(['held', 'release', '1', '--all']).code, 2);
  assert.equal(installation.run(['held', 'release', 'one']).code, 1);
  assert.match(installation.run(['held', 'release', '4711']).stderr, /4711.*held list/s);
  assert.equal(installation.run(['held', 'discard', '4711']).code, 1, 'nobody confirmed');
  assert.equal(installation.run(['held', 'discard', '4711', '--yes']).code, 1);
});

test('a damaged message is held, arrives after a repair and its release, and another one is discarded', async () => {
  for (const id of ['repaired', 'discarded']) installation.must(['deliver', alice], { input: simpleMessage({ id }) });
  spool('CREATE TABLE good AS SELECT id, head FROM deliveries');
  spool('UPDATE deliveries SET head = zeroblob(length(head))');
  installation.must(['deliver', alice], { input: simpleMessage({ id: 'whole' }) });

  await installation.start();
  assert.deepEqual(await inbox(), ['whole'], 'the others do not wait for it');
  const two = held();
  assert.deepEqual(two.map(({ address }) => address), [alice, alice]);
  assert.ok(two.every(({ reason, size, received }) => reason && size > 0 && received.endsWith('Z')));
  assert.match(installation.run(['doctor']).stdout, /waiting mail.*muhur held list/s);
  installation.must(['held', 'discard', String(two[1].id), '--yes']);
  assert.deepEqual(held().map(({ id }) => id), [two[0].id]);
  await installation.stop();

  spool('UPDATE deliveries SET head = (SELECT head FROM good WHERE good.id = deliveries.id)');
  assert.match(installation.must(['held', 'release', '--user', alice]).stdout, /Released: 1\./);
  await installation.start();
  assert.deepEqual((await inbox()).sort(), ['repaired', 'whole']);
  assert.deepEqual(held(), []);
  await installation.stop();
});
