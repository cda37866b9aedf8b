// Clients that people use, none of them ours: swaks, imapflow, curl, mbsync, neomutt.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { ImapFlow } from 'imapflow';
import { Imap } from './lib/imap.mjs';
import { Lmtp } from './lib/lmtp.mjs';
import { sha256, simpleMessage, testId } from './lib/messages.mjs';
import { Installation } from './lib/server.mjs';

const run = promisify(execFile);
const password = 'correct horse 7';
let installation;
let imap, imaps, lmtp;
const address = 'alice@example.org';

before(async () => {
  installation = new Installation({ alice: password, bob: 'another horse 8', mutt: 'mutt horse 9', sync: 'sync horse 1' });
  ({ imap, imaps, lmtp } = await installation.start());
});
after(() => installation?.remove());

const flow = async (options = {}) => {
  const client = new ImapFlow({ host: imap.host, port: imap.port, secure: false, logger: false,
    tls: { rejectUnauthorized: false }, auth: { user: address, pass: password }, ...options });
  await client.connect();
  return client;
};
const deliver = async (to, messages) => {
  const sender = await Lmtp.open(lmtp);
  for (const message of messages) {
    for (const { code, text } of await sender.deliver({ to: [].concat(to), message })) assert.equal(code, 250, text);
  }
  await sender.quit();
};

test('swaks delivers, pipelined and to several users', async () => {
  const { stdout } = await run('swaks', ['--protocol', 'LMTP', '--server', lmtp.host, '--port', String(lmtp.port),
    '--to', 'alice@example.org,bob@example.org', '--from', 'swaks@example.com', '--pipeline',
    '--header', 'Subject: by swaks', '--body', 'from swaks', '--attach', '@/etc/hostname']);
  assert.equal((stdout.match(/<-? +250 2\.\d\.\d|<- +250 2/g) ?? []).length >= 2, true, stdout);
  const client = await flow();
  const lock = await client.getMailboxLock('INBOX');
  const message = await client.fetchOne('*', { envelope: true, bodyStructure: true });
  assert.equal(message.envelope.subject, 'by swaks');
  assert.equal(message.bodyStructure.type, 'multipart/mixed');
  lock.release();
  await client.logout();
});

test('imapflow reads, flags, moves, copies, appends, searches and deletes', async () => {
  await deliver(address, [simpleMessage({ id: 'flow-1', subject: 'first of flow' }),
    simpleMessage({ id: 'flow-2', subject: 'second of flow' })]);
  const client = await flow();
  assert.ok(client.capabilities.has('UIDPLUS') && client.capabilities.has('MOVE') && client.capabilities.has('IDLE'));
  const folders = await client.list();
  assert.deepEqual(folders.filter(({ specialUse }) => specialUse).map(({ specialUse }) => specialUse).sort(),
    ['\\Archive', '\\Drafts', '\\Inbox', '\\Junk', '\\Sent', '\\Trash']);
  await client.mailboxCreate('Projekte/Özel 프로젝트');
  const lock = await client.getMailboxLock('INBOX');
  const [first] = await client.search({ subject: 'first of flow' }, { uid: true });
  const [second] = await client.search({ subject: 'second of flow' }, { uid: true });
  assert.ok(first && second);
  const read = await client.fetchOne(String(first), { source: true, flags: true, envelope: true }, { uid: true });
  assert.equal(testId(read.source), 'flow-1');
  assert.equal(read.envelope.from[0].address, 'sender@example.com');
  await client.messageFlagsAdd(String(first), ['\\Seen', '\\Flagged', '$Important'], { uid: true });
  const flagged = await client.fetchOne(String(first), { flags: true }, { uid: true });
  assert.deepEqual([...flagged.flags].filter((flag) => flag !== '\\Recent').sort(), ['$Important', '\\Flagged', '\\Seen']);
  const moved = await client.messageMove(String(first), 'Projekte/Özel 프로젝트', { uid: true });
  assert.equal(moved.uidMap.size, 1);
  const copied = await client.messageCopy(String(second), 'Archive', { uid: true });
  assert.equal(copied.uidMap.size, 1);
  await client.messageDelete(String(second), { uid: true });
  assert.deepEqual(await client.search({ subject: 'of flow' }, { uid: true }), []);
  lock.release();

  const appended = await client.append('Drafts', simpleMessage({ id: 'draft' }), ['\\Draft', '\\Seen'], new Date('2024-02-03T04:05:06Z'));
  const drafts = await client.getMailboxLock('Drafts');
  const draft = await client.fetchOne(String(appended.uid), { source: true, internalDate: true, flags: true }, { uid: true });
  assert.equal(sha256(draft.source), sha256(simpleMessage({ id: 'draft' })));
  assert.equal(draft.internalDate.toISOString(), '2024-02-03T04:05:06.000Z');
  drafts.release();
  const project = await client.getMailboxLock('Projekte/Özel 프로젝트');
  const there = await client.fetchOne('1', { source: true, flags: true });
  assert.equal(testId(there.source), 'flow-1');
  assert.ok(there.flags.has('\\Flagged') && there.flags.has('$Important'));
  project.release();
  await client.mailboxRename('Projekte', 'Projects');
  assert.ok((await client.list()).some(({ path }) => path === 'Projects/Özel 프로젝트'));
  await client.mailboxDelete('Projects/Özel 프로젝트');
  assert.ok(!(await client.list()).some(({ path }) => path === 'Projects/Özel 프로젝트'));
  await client.logout();
});

test('imapflow is told of new mail while it idles, over STARTTLS', async () => {
  const client = await flow({ secure: false, doSTARTTLS: true });
  const lock = await client.getMailboxLock('INBOX');
  const before = client.mailbox.exists;
  const told = new Promise((done) => client.once('exists', done));
  const idling = client.idle();
  await new Promise((wake) => setTimeout(wake, 200));
  await deliver(address, [simpleMessage({ id: 'while idling' })]);
  const { count } = await told;
  assert.equal(count, before + 1);
  await client.noop();
  await idling;
  lock.release();
  await client.logout();
});

test('two sessions see each other\'s flags and expunges', async () => {
  await deliver(address, [simpleMessage({ id: 'shared' })]);
  const one = await Imap.login(imap, address, password);
  const two = await Imap.login(imaps, address, password, { secure: true });
  await one.command('SELECT INBOX');
  await two.command('SELECT INBOX');
  await one.command('STORE * +FLAGS (\\Flagged \\Deleted)');
  const seen = await two.command('NOOP');
  assert.ok(seen.untagged.some(({ text }) => /FETCH \(.*\\Flagged/.test(text)), JSON.stringify(seen.untagged));
  await one.command('EXPUNGE');
  assert.ok((await two.command('NOOP')).untagged.some(({ text }) => /^\* \d+ EXPUNGE/.test(text)));
  one.close();
  two.close();
});

test('curl lists, reads and appends by imap:// and imaps://', async () => {
  const user = ['--silent', '--show-error', '--insecure', '--user', `${address}:${password}`];
  const message = simpleMessage({ id: 'by curl', body: 'caf\u00e9 \ud55c\uad6d\n'.repeat(3).replace(/\n/g, '\r\n') });
  const file = join(installation.directory, 'curl.eml');
  writeFileSync(file, message);
  for (const [scheme, { host, port }] of [['imap', imap], ['imaps', imaps]]) {
    const url = `${scheme}://${host}:${port}`;
    const { stdout: list } = await run('curl', [...user, `${url}/`]);
    assert.match(list, /INBOX/);
    await run('curl', [...user, `${url}/Sent`, '--upload-file', file]);
    const { stdout: found } = await run('curl', [...user, `${url}/Sent?ALL`]);
    const numbers = found.trim().split(/\s+/).slice(2);
    const { stdout: body } = await run('curl', [...user, `${url}/Sent;MAILINDEX=${numbers.at(-1)}`], { encoding: 'buffer' });
    assert.equal(sha256(body), sha256(message));
  }
});

test('mbsync carries mail both ways, and a second run carries nothing', async () => {
  const user = 'sync@example.org';
  const given = Array.from({ length: 25 }, (_, i) => simpleMessage({ id: `sync-${i}`, body: `text ${i}\r\n`.repeat(i + 1) }));
  await deliver(user, given);
  const maildir = join(installation.directory, 'Mail');
  mkdirSync(maildir);
  const config = join(installation.directory, 'mbsyncrc');
  writeFileSync(config, [
    'IMAPStore remote', `Host ${imap.host}`, `Port ${imap.port}`, `User ${user}`, 'Pass "sync horse 1"',
    'SSLType None', 'AuthMechs PLAIN', '',
    'MaildirStore local', `Path ${maildir}/`, `Inbox ${maildir}/INBOX`, 'SubFolders Verbatim', '',
    'Channel all', 'Far :remote:', 'Near :local:', 'Patterns *', 'Create Both', 'Expunge Both', 'Sync All',
    `SyncState ${maildir}/state-`, ''].join('\n'));
  const sync = () => run('mbsync', ['--config', config, 'all']);
  await sync();
  const inbox = join(maildir, 'INBOX');
  const files = () => ['new', 'cur'].flatMap((sub) => readdirSync(join(inbox, sub)).map((name) => join(inbox, sub, name)));
  const ids = files().map((file) => testId(readFileSync(file))).sort();
  assert.deepEqual(ids, given.map(testId).sort());

  // Everything that a transfer would change: files here, and counters and modification sequences there.
  const state = async () => {
    const local = files().map((file) => [file, statSync(file).mtimeMs, statSync(file).ino]).sort();
    const client = await Imap.login(imap, user, 'sync horse 1');
    const remote = [];
    for (const folder of ['INBOX', 'Archive', 'Drafts', 'Sent', 'Trash', 'Junk'])
      remote.push((await client.command(`STATUS ${folder} (MESSAGES UIDNEXT UIDVALIDITY HIGHESTMODSEQ)`)).untagged[0].text);
    client.close();
    return { local, remote };
  };
  const once = await state();
  assert.match(once.remote[0], /MESSAGES 25 .*HIGHESTMODSEQ \d+/);
  await sync();
  assert.deepEqual(await state(), once);

  // Now the other way: a new local message, a local flag, a local deletion.
  writeFileSync(join(inbox, 'cur', '1700000000.1.local:2,S'), simpleMessage({ id: 'from-here' }).toString().replaceAll('\r\n', '\n'));
  const [drop] = files().filter((file) => testId(readFileSync(file)) === 'sync-3');
  renameSync(drop, join(inbox, 'cur', drop.split('/').at(-1).replace(/:2,.*$/, '') + ':2,ST'));
  await sync();
  const client = await Imap.login(imap, user, 'sync horse 1');
  const remote = (await client.everything('INBOX')).map(({ bytes }) => testId(bytes));
  assert.ok(remote.includes('from-here'));
  assert.ok(!remote.includes('sync-3'));
  client.close();
  const settled = await state();
  await sync();
  assert.deepEqual(await state(), settled);
});

test('neomutt reads, saves, flags and deletes', async () => {
  const user = 'mutt@example.org';
  const message = simpleMessage({ id: 'mutt-1', subject: 'for mutt', body: 'read by neomutt' });
  await deliver(user, [message, simpleMessage({ id: 'mutt-2', subject: 'to be deleted' })]);
  const out = join(installation.directory, 'mutt.eml');
  const rc = join(installation.directory, 'muttrc');
  writeFileSync(rc, [
    `set folder="imap://${imap.host}:${imap.port}/"`, 'set spoolfile="+INBOX"', `set imap_user="${user}"`,
    'set imap_pass="mutt horse 9"', 'set imap_authenticators="plain"', 'set ssl_starttls=no', 'set ssl_force_tls=no',
    'set pipe_decode=no', 'set wait_key=no', 'set confirmappend=no', 'set confirmcreate=no', 'set delete=yes',
    'set quit=yes', 'set sort=mailbox-order', 'set mail_check=5',
    `push "<first-entry><pipe-message>cat > ${out}<enter><flag-message><first-entry><copy-message>=Archive<enter>` +
    '<last-entry><delete-message><sync-mailbox><quit>"', ''].join('\n'));
  // neomutt wants a terminal: script gives it one.
  await run('script', ['--quiet', '--return', '--command', `neomutt -n -F ${rc}`, '/dev/null'],
    { timeout: 60_000, env: { ...process.env, TERM: 'xterm', HOME: installation.directory, LC_ALL: 'C.UTF-8' } });
  assert.ok(existsSync(out));
  assert.equal(testId(readFileSync(out)), 'mutt-1');
  const client = await Imap.login(imap, user, 'mutt horse 9');
  assert.deepEqual((await client.everything('INBOX')).map(({ bytes }) => testId(bytes)), ['mutt-1']);
  assert.deepEqual((await client.everything('Archive')).map(({ bytes }) => testId(bytes)), ['mutt-1']);
  await client.command('EXAMINE INBOX');
  const { untagged } = await client.command('FETCH 1 (FLAGS)');
  assert.match(untagged.map(({ text }) => text).join('\n'), /\\Flagged/);
  client.close();
});
