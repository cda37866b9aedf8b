// The command line: users, deliveries, configuration; with a running server and without one.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Imap } from './lib/imap.mjs';
import { simpleMessage, testId } from './lib/messages.mjs';
import { Installation, Process, muhur } from './lib/server.mjs';

const installation = new Installation({ alice: 'first password' });
after(() => installation.remove());
const alice = 'alice@example.org';
const canLogIn = async (address, password) => {
  const client = await Imap.open(installation.endpoints.imap);
  const { status } = await client.command(`LOGIN "${address}" "${password}"`);
  client.close();
  return status === 'OK';
};
const listed = () => JSON.parse(installation.must(['user', 'list', '--json']).stdout);

test('init makes private files and never writes over them', () => {
  assert.equal(statSync(installation.data).mode & 0o777, 0o700);
  assert.equal(statSync(join(installation.data, 'server.key')).mode & 0o777, 0o600);
  const again = muhur(['init', installation.data, '--domain', 'example.org']);
  assert.equal(again.code, 1);
  assert.match(again.stderr, /already/);
  assert.equal(muhur(['init', join(installation.directory, 'none/none'), '--domain', 'example.org']).code, 1);
  assert.equal(muhur(['init', join(installation.directory, 'x')]).code, 2, '--domain is required');
});

for (const running of [false, true]) {
  const how = running ? 'through the running server' : 'without a server';
  test(`users are added, listed, limited, disabled, enabled and deleted ${how}`, async () => {
    if (running) await installation.start();
    const added = installation.must(['user', 'add', 'bob@example.org', '--name', 'Bob Brink', '--quota', '2GiB', '--admin'],
      { input: 'bobs password\n' });
    assert.match(added.stdout, /Recovery key: [0-9A-Z]{4}(-[0-9A-Z]{4})+/);
    const taken = installation.run(['user', 'add', 'BOB@Example.org'], { input: 'other password\n' });
    assert.equal(taken.code, 1);
    const bob = listed().find(({ address }) => address === 'bob@example.org');
    assert.deepEqual([bob.name, bob.admin, bob.disabled, bob.quota], ['Bob Brink', true, false, 2 * 2 ** 30]);
    installation.must(['user', 'quota', 'bob@example.org', 'none']);
    installation.must(['user', 'disable', 'bob@example.org']);
    assert.deepEqual(listed().filter(({ address }) => address === 'bob@example.org').map(({ disabled, quota }) => [disabled, quota]), [[true, 0]]);
    if (running) assert.equal(await canLogIn('bob@example.org', 'bobs password'), false);
    installation.must(['user', 'enable', 'bob@example.org']);
    if (running) assert.equal(await canLogIn('bob@example.org', 'bobs password'), true);
    assert.match(installation.must(['user', 'list']).stdout, /bob@example\.org +Bob Brink +admin +active/);
    const file = join(installation.data, 'mail', bob.mailbox);
    assert.ok(existsSync(file));
    assert.equal(installation.run(['user', 'delete', 'bob@example.org']).code, 1, 'nobody confirmed');
    installation.must(['user', 'delete', 'bob@example.org', '--yes']);
    assert.ok(!existsSync(file) && !readdirSync(join(installation.data, 'mail')).some((name) => name.startsWith(bob.mailbox)));
    assert.equal(listed().length, 1);
    assert.equal(installation.run(['user', 'disable', 'bob@example.org']).code, 1);
    if (running) await installation.stop();
  });

  test(`a message is delivered from standard input ${how}`, async () => {
    if (running) await installation.start();
    const id = running ? 'deliver-running' : 'deliver-alone';
    installation.must(['deliver', 'alice+tag@example.org', '--sender', 'x@example.com'], { input: simpleMessage({ id }) });
    const unknown = installation.run(['deliver', 'nobody@example.org'], { input: simpleMessage({ id: 'lost' }) });
    assert.equal(unknown.code, 1);
    assert.match(unknown.stderr, /nobody@example\.org/);
    assert.equal(installation.run(['deliver', alice], { input: '' }).code, 1, 'an empty message');
    if (!running) await installation.start();
    const client = await Imap.login(installation.endpoints.imap, alice, 'first password');
    const ids = (await client.everything('INBOX')).map(({ bytes }) => testId(bytes));
    assert.equal(ids.filter((each) => each === id).length, 1);
    client.close();
    await installation.stop();
  });
}

test('a password is changed with the old one or the recovery key, and mail stays', async () => {
  await installation.start();
  const refused = installation.run(['user', 'passwd', alice], { input: 'not the password\nsecond password\n' });
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /recovery key/);
  installation.must(['user', 'passwd', alice], { input: 'first password\nsecond password\n' });
  assert.equal(await canLogIn(alice, 'first password'), false);
  assert.equal(await canLogIn(alice, 'second password'), true);
  const file = join(installation.directory, 'third');
  writeFileSync(file, 'third password\n');
  installation.must(['user', 'passwd', alice, '--recovery', '--password-file', file], { input: installation.recoveryKeys.alice + '\n' });
  const client = await Imap.login(installation.endpoints.imap, alice, 'third password');
  assert.equal((await client.everything('INBOX')).length, 2);
  client.close();
  const weak = installation.run(['user', 'passwd', alice], { input: 'third password\nshort\n' });
  assert.equal(weak.code, 1);
  assert.equal(await canLogIn(alice, 'third password'), true);
  await installation.stop();
});

test('no command takes a password as an argument', () => {
  for (const command of [['add'], ['passwd']]) {
    const help = muhur(['user', ...command, '--help']).stdout;
    assert.match(help, /--password-file/);
    assert.doesNotMatch(help, /--password[ =](?!file)/);
    assert.equal(installation.run(['user', ...command, alice, '--password', 'secret word']).code, 2);
  }
});

test('every command has help, and wrong usage ends with 2', () => {
  for (const command of [[], ['init'], ['serve'], ['demo'], ['user'], ['deliver'], ['config'], ['doctor'], ['held'],
    ...['list', 'release', 'discard'].map((name) => ['held', name]),
    ...['add', 'list', 'passwd', 'disable', 'enable', 'delete', 'quota'].map((name) => ['user', name])]) {
    const help = muhur([...command, '--help']);
    assert.equal(help.code, 0);
    assert.match(help.stdout, /Usage|OPTIONS|Options/i);
  }
  assert.equal(muhur([]).code, 2);
  assert.equal(muhur(['frobnicate']).code, 2);
  assert.equal(muhur(['user', 'add']).code, 2);
  assert.match(muhur(['--version']).stdout, /muhur \d+\.\d+/);
});

test('an unknown key is refused with the nearest one named', async () => {
  const file = join(installation.data, 'typo.toml');
  writeFileSync(file, readFileSync(installation.config, 'utf8') + '\n[imapp]\nlisten = []\n');
  const checked = muhur(['config', 'check', '--config', file]);
  assert.equal(checked.code, 1);
  assert.match(checked.stderr, /typo\.toml:\d+/);
  assert.match(checked.stderr, /did you mean `imap\.listen`/);
  const server = new Process(['serve', '--config', file]);
  assert.equal((await server.exited).code, 1);
  const variable = muhur(['config', 'check', '--config', installation.config], { settings: { MUHUR_LMTP_LISTN: 'x' } });
  assert.match(variable.stderr, /MUHUR_LMTP_LISTEN/);
});

test('the printed example is a valid configuration', () => {
  const file = join(installation.data, 'example.toml');
  writeFileSync(file, muhur(['config', 'example']).stdout);
  assert.equal(muhur(['config', 'check', '--config', file], { settings: {} }).code, 0);
  const keys = JSON.parse(muhur(['config', 'keys', '--json']).stdout);
  assert.ok(keys.length > 20 && keys.every(({ key, meaning }) => key && meaning));
});

test('SIGHUP reads the certificate again while connections live', async () => {
  await installation.start();
  const client = await Imap.login(installation.endpoints.imaps, alice, 'third password', { secure: true });
  installation.server.child.kill('SIGHUP');
  await new Promise((wake) => setTimeout(wake, 300));
  assert.equal((await client.command('NOOP')).status, 'OK');
  const fresh = await Imap.login(installation.endpoints.imaps, alice, 'third password', { secure: true });
  fresh.close();
  const gone = client.wire.line();
  installation.server.child.kill('SIGTERM');
  assert.match(await gone, /^\* BYE/);
  assert.equal((await installation.server.exited).code, 0);
  installation.server = undefined;
});
