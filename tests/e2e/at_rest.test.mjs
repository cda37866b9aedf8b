// Nothing readable at rest: markers in everything that a user can write, then a search through every byte of the
// data and temp directories; and a trace of what is written while a large sort and a VACUUM run.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createReadStream, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { Imap } from './lib/imap.mjs';
import { Lmtp } from './lib/lmtp.mjs';
import { Installation, root, temporaryDirectory } from './lib/server.mjs';

// Rare strings of letters, so that neither chance nor a header word matches.
const markers = {
  user: 'zqxuservjk', other: 'zqxothervjk', password: 'zqxpasswordvjk 1', sender: 'zqxsendervjk', name: 'Zqxnamevjk',
  subject: 'zqxsubjectvjk', body: 'zqxbodyvjk', attachment: 'zqxattachmentvjk', folder: 'zqxfoldervjk',
  keyword: 'zqxkeywordvjk', search: 'zqxsearchvjk', appended: 'zqxappendedvjk', header: 'zqxheadervjk', file: 'zqxfilevjk',
};
const secret = Object.values(markers).map((marker) => marker.split(' ')[0]);

const installation = new Installation({ [markers.user]: markers.password, [markers.other]: `${markers.password} too` });
after(() => installation.remove());

const message = (n, body = markers.body) => Buffer.from([
  `From: ${markers.name} <${markers.sender}@example.com>`, `To: <${markers.user}@example.org>`,
  `Subject: ${markers.subject} ${n}`, `X-${markers.header}: ${markers.header}`, 'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary=b', '', '--b', 'Content-Type: text/plain; charset=utf-8', '',
  `${body} ${n} `.repeat(200), '--b', `Content-Type: text/plain; name="${markers.file}.txt"`,
  `Content-Disposition: attachment; filename="${markers.file}.txt"`, '', `${markers.attachment} `.repeat(2000), '--b--', ''].join('\r\n'));

async function useTheServer({ imap, lmtp }, round) {
  const sender = await Lmtp.open(lmtp);
  const users = [markers.user, markers.other];
  for (let n = 0; n < 40; ++n) {
    const replies = await sender.deliver({ from: `${markers.sender}@example.com`, to: users.map((user) => `${user}@example.org`), message: message(n) });
    for (const { code, text } of replies) assert.equal(code, 250, text);
  }
  // The second user never logs in: that mail stays sealed in the spool.
  const client = await Imap.login(imap, `${markers.user}@example.org`, markers.password);
  const ok = async (line) => {
    const reply = await client.command(line);
    assert.equal(reply.status, 'OK', `${line}: ${reply.text}`);
    return reply;
  };
  const folder = `${markers.folder}${round}`;
  await ok(`CREATE ${folder}`);
  await ok(`CREATE ${folder}/${markers.folder}`);
  await ok('SELECT INBOX');
  await ok(`STORE 1:20 +FLAGS (${markers.keyword} \\Flagged)`);
  const found = await ok(`SEARCH TEXT ${markers.body}`);
  assert.match(found.untagged[0].text, /SEARCH 1 /);
  await ok(`SEARCH OR SUBJECT ${markers.search} BODY ${markers.search}`);
  await ok(`COPY 1:10 ${folder}`);
  await ok(`MOVE 11:15 ${folder}/${markers.folder}`);
  await client.append('Sent', message('x', markers.appended));
  await ok('STORE 1:5 +FLAGS (\\Deleted)');
  await ok('EXPUNGE');
  await ok(`RENAME ${folder} ${folder}-renamed`);
  const wrong = await Imap.open(imap);
  await wrong.command(`LOGIN ${markers.user}@example.org "${markers.password} wrong"`);
  wrong.close();
  client.close();
  await sender.quit();
}

function filesBelow(directory) {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    return entry.isDirectory() ? filesBelow(path) : entry.isFile() ? [path] : [];
  });
}

// What a marker looks like as text, in base64 at each of three offsets, and as UTF-16.
function shapes(text) {
  const inner = (pad) => {
    const encoded = Buffer.from(' '.repeat(pad) + text).toString('base64').replace(/=+$/, '');
    return encoded.slice(pad === 0 ? 0 : 4, encoded.length - 4);
  };
  return [text, text.toUpperCase(), inner(0), inner(1), inner(2)];
}

function assertNothingReadable(when) {
  const files = [installation.data, installation.temp].flatMap(filesBelow);
  assert.ok(files.some((file) => file.includes('/mail/')), 'no mailbox file');
  assert.ok(files.reduce((sum, file) => sum + statSync(file).size, 0) > 500_000);
  for (const file of files) for (const marker of secret) assert.ok(!file.includes(marker), `${file} tells a name`);
  const patterns = secret.flatMap(shapes);
  const list = join(installation.directory, 'patterns');
  writeFileSync(list, patterns.join('\n') + '\n');
  const found = spawnSync('grep', ['-a', '-r', '-l', '-F', '-f', list, installation.data, installation.temp]);
  assert.equal(found.stdout.toString(), '', `${when}: readable`);
  assert.equal(found.status, 1, found.stderr.toString());
}

test('no marker is found while the server is killed, stopped, or started again', async () => {
  await useTheServer(await installation.start(), 1);
  await installation.stop('SIGKILL');
  assertNothingReadable('after kill -9, with write-ahead logs left behind');
  await useTheServer(await installation.start(), 2);
  assert.equal((await installation.stop()).code, 0);
  assertNothingReadable('after a clean stop');
});

test('the search would find a marker that was there', () => {
  const planted = join(installation.temp, 'planted');
  writeFileSync(planted, Buffer.concat([Buffer.from([0, 1, 2]), message(1)]));
  assert.throws(() => assertNothingReadable('planted'), /readable/);
  rmSync(planted);
});

const canTrace = spawnSync('strace', ['-f', '-o', '/dev/null', 'true']).status === 0;
const trace = ['strace', '-f', '-y', '-e', 'trace=write,pwrite64,pwritev,pwritev2,writev', '-s', '300000', '-xx'];

// Lines of the trace that write a marker to a file; sockets and terminals are what clients see.
async function leaks(file, needles) {
  const hex = needles.map((text) => [...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join(''));
  const found = [];
  const seen = { writes: 0, temp: 0 };
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const target = /(?:write|pwrite64|pwritev2?|writev)\((\d+)<((?:\\x[0-9a-f]{2}|[^>])*)>/.exec(line);
    if (!target) continue;
    const path = target[2].replace(/\\x([0-9a-f]{2})/g, (all, code) => String.fromCharCode(parseInt(code, 16)));
    if (!path.startsWith('/') || path.startsWith('/dev/')) continue;
    seen.writes += 1;
    if (/etilqs|\(deleted\)|\/tmp\//.test(path)) seen.temp += 1;
    if (hex.some((needle) => line.includes(needle))) found.push(`${path}: ${line.slice(0, 80)}`);
  }
  return { found, seen };
}

test('a traced server writes no marker to any file', { skip: !canTrace && 'strace does not work here' }, async () => {
  const file = join(installation.directory, 'server.trace');
  await useTheServer(await installation.start({ wrapper: [...trace, '-o', file] }), 3);
  // strace passes the signal on to nobody: the server itself is its child.
  const children = spawnSync('pgrep', ['-P', String(installation.server.child.pid)]).stdout.toString().trim().split('\n');
  for (const pid of children) process.kill(Number(pid), 'SIGTERM');
  await installation.server.exited;
  installation.server = undefined;
  const { found, seen } = await leaks(file, secret);
  assert.deepEqual(found.slice(0, 5), []);
  assert.ok(seen.writes > 20, `only ${seen.writes} writes were seen`);
});

const sorter = join(root, 'build/release/tests/vault_sorter');
test('large sorts, CREATE INDEX and VACUUM spill no marker to any file',
  { skip: (!canTrace && 'strace does not work here') || (!existsSync(sorter) && 'vault_sorter is not built') }, async () => {
    const directory = temporaryDirectory();
    mkdirSync(join(directory, 'tmp'));
    const file = join(directory, 'sorter.trace');
    const run = spawnSync(trace[0], [...trace.slice(1), '-o', file, sorter, directory, markers.body],
      { env: { ...process.env, SQLITE_TMPDIR: join(directory, 'tmp'), TMPDIR: join(directory, 'tmp') } });
    assert.equal(run.status, 0, run.stderr.toString());
    const { found, seen } = await leaks(file, [markers.body]);
    assert.deepEqual(found.slice(0, 5), []);
    assert.ok(seen.temp > 50, `only ${seen.temp} writes to temporary files were seen`);
    rmSync(directory, { recursive: true });
  });
