#!/usr/bin/env node
// Muhur against Dovecot, in turn: the same load (`muhur bench mail`) at a demonstration server of ours and at
// Debian's Dovecot with plain Maildir and no encryption, round by round; prints medians and their ratio.
//
//   apt-get install dovecot-imapd            (the peer; as root, since Dovecot drops privileges)
//   node bench/mail/compare.mjs [--rounds N] [--seconds S] [--clients N] [--json FILE]
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync, readFileSync, mkdirSync, rmSync, chownSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import net from 'node:net';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const muhur = join(root, 'build', 'muhur');
const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '3' },
    clients: { type: 'string', default: '10' },
    json: { type: 'string' },
  },
});
const directory = mkdtempSync(join(tmpdir(), 'muhur-compare-'));
const figures = ['append_per_s', 'fetch_per_s', 'fetch_all_per_s', 'login_per_s'];

function freePort() {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

function answers(port) {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    socket.once('data', () => (socket.destroy(), resolve(true)));
    socket.once('error', () => resolve(false));
  });
}

// One process group of Dovecot's own, everything of it below `directory`.
async function startDovecot(port) {
  const uid = Number(spawnSync('id', ['-u', 'nobody']).stdout);
  const gid = Number(spawnSync('id', ['-g', 'nobody']).stdout);
  const mail = join(directory, 'mail');
  mkdirSync(mail);
  chownSync(mail, uid, gid);
  spawnSync('chmod', ['755', directory]);
  writeFileSync(join(directory, 'users'), 'bench:{PLAIN}secret\n');
  const configuration = join(directory, 'dovecot.conf');
  writeFileSync(configuration, `
protocols = imap
listen = 127.0.0.1
base_dir = ${directory}/run
state_dir = ${directory}/state
log_path = ${directory}/dovecot.log
ssl = no
disable_plaintext_auth = no
mail_location = maildir:${mail}/%u
mail_uid = ${uid}
mail_gid = ${gid}
first_valid_uid = 1
first_valid_gid = 1
mail_max_userip_connections = 1000
auth_mechanisms = plain
passdb {
  driver = passwd-file
  args = ${directory}/users
}
userdb {
  driver = static
  args = uid=${uid} gid=${gid} home=${mail}/%u
}
service imap-login {
  service_count = 0
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
`);
  const child = spawn('/usr/sbin/dovecot', ['-F', '-c', configuration], { stdio: ['ignore', 'ignore', 'inherit'] });
  for (let i = 0; i < 100 && !(await answers(port)); ++i) await new Promise((r) => setTimeout(r, 100));
  return child;
}

function run(extra) {
  const file = join(directory, 'result.json');
  const ran = spawnSync(
    muhur,
    ['bench', 'mail', '--json', file, '--rounds', '1', '--seconds', options.seconds, '--clients', options.clients, ...extra],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  if (ran.status !== 0) throw new Error(`muhur bench mail ${extra.join(' ')} failed`);
  return JSON.parse(readFileSync(file, 'utf8')).results;
}

const median = (list) => {
  const sorted = [...list].sort((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
};

if (!existsSync('/usr/sbin/dovecot') || process.getuid() !== 0) {
  console.error('This comparison needs Dovecot and root: apt-get install dovecot-imapd, then run it again as root.');
  process.exit(2);
}
const port = await freePort();
const dovecot = await startDovecot(port);
const password = join(directory, 'password');
writeFileSync(password, 'secret\n', { mode: 0o600 });
const ours = [];
const theirs = [];
try {
  for (let round = 0; round < Number(options.rounds); ++round) {
    ours.push(run(['--idle', '200']));
    theirs.push(run(['--name', 'dovecot', '--imap', `127.0.0.1:${port}`, '--user', 'bench', '--password-file', password]));
  }
} finally {
  const ended = new Promise((resolve) => dovecot.once('exit', resolve));
  dovecot.kill('SIGTERM');
  await ended;
  rmSync(directory, { recursive: true, force: true });
}
const table = {};
for (const key of figures) {
  const mine = median(ours.map((r) => r[key].median));
  const peer = median(theirs.map((r) => r[key].median));
  table[key] = { muhur: mine, dovecot: peer, ratio: mine / peer, ratios: ours.map((r, i) => r[key].median / theirs[i][key].median) };
}
console.log('Median of interleaved rounds; Muhur encrypted and durable, Dovecot plain Maildir.\n');
console.log('figure            muhur      dovecot    ratio   (range of the rounds)');
for (const [key, row] of Object.entries(table))
  console.log(
    `${key.padEnd(16)} ${row.muhur.toFixed(0).padStart(8)} ${row.dovecot.toFixed(0).padStart(11)} ${row.ratio.toFixed(2).padStart(8)}   ` +
      `${Math.min(...row.ratios).toFixed(2)} to ${Math.max(...row.ratios).toFixed(2)}`,
  );
if (options.json) writeFileSync(options.json, `${JSON.stringify(table, null, 2)}\n`);
