// What run.mjs starts: servers on free loopback ports in directories of their own, ended by their process.
import { randomBytes } from 'node:crypto';
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const binary = process.env.BINARY ?? 'build/muhur';

export async function withDirectory(use) {
  const directory = mkdtempSync(join(process.env.BENCH_DIR ?? tmpdir(), 'muhur-bench-login-'));
  try {
    await use(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

// Settings of the caller's environment must not change what is measured.
function environment(settings) {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('MUHUR_'));
  return { ...Object.fromEntries(inherited), ...settings };
}

export class Server {
  // Returns when the program has printed its line of JSON. `core`: the only one that it may run on.
  static async start(program, args, { settings = {}, core, cwd } = {}) {
    const server = new Server();
    const command = core === undefined ? [program, ...args] : ['taskset', '-c', String(core), program, ...args];
    const begun = performance.now();
    server.child = spawn(command[0], command.slice(1), { cwd, env: environment(settings), stdio: ['ignore', 'pipe', 'pipe'] });
    server.pid = server.child.pid; // taskset becomes the program
    let complaints = '';
    server.child.stderr.on('data', (text) => (complaints = (complaints + text).slice(-4000)));
    server.exited = new Promise((done) => server.child.once('close', done));
    server.ready = await new Promise((done, failed) => {
      createInterface({ input: server.child.stdout }).on('line', (line) => line.startsWith('{') && done(JSON.parse(line)));
      server.child.once('error', failed);
      server.exited.then(() => failed(new Error(`${program} ended before it was ready: ${complaints}`)));
    });
    server.readyAfter = performance.now() - begun;
    server.url = server.ready.http;
    return server;
  }
  static demo(directory, { accounts = 0, cost = 10, settings, core } = {}) {
    const bench = accounts ? ['--bench-accounts', accounts, '--bench-password-cost', cost] : [];
    return Server.start(binary, ['demo', '--json', '--ports', '0', '--data', join(directory, 'data'), ...bench.map(String)], { settings, core });
  }
  async stop() {
    this.child.kill('SIGTERM');
    const timer = setTimeout(() => this.child.kill('SIGKILL'), 15_000);
    await this.exited;
    clearTimeout(timer);
  }
}

// A data directory with the accounts, made once for each cost; each run begins with a copy of it.
export class Templates {
  constructor(directory, accounts) {
    this.directory = directory;
    this.accounts = accounts;
  }
  async copy(cost, directory) {
    const made = join(this.directory, `cost-${cost}`);
    mkdirSync(made, { recursive: true });
    if (!existsSync(join(made, 'data'))) await (await Server.demo(made, { accounts: this.accounts, cost })).stop();
    cpSync(join(made, 'data'), join(directory, 'data'), { recursive: true });
  }
  startPeer(cost) {
    const records = join(this.directory, `peer-cost-${cost}.json`);
    const args = ['bench/login/peer/server.mjs', '--accounts', this.accounts, '--cost', cost, '--records', records];
    return Server.start('node', args.map(String));
  }
}

// A worker, and what the server has to be told of it.
export async function startWorker(directory, { core }) {
  const secret = join(directory, 'worker-secret');
  writeFileSync(secret, randomBytes(36).toString('base64') + '\n', { mode: 0o600 });
  const worker = await Server.start(
    binary, ['worker', '--listen', '127.0.0.1:0', '--secret-file', secret, '--threads', '1', '--json'], { core });
  worker.settings = {
    MUHUR_PASSWORDS_WORKERS: `http://127.0.0.1:${worker.ready.port}`,
    MUHUR_PASSWORDS_WORKER_SECRET: secret,
  };
  return worker;
}

// One run of `muhur bench login`: its figures.
export async function load(url, args) {
  const child = spawn(binary, ['bench', 'login', '--url', url, '--json', '-', ...args.map(String)],
    { env: environment({}), stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (piece) => (text += piece));
  const code = await new Promise((done) => child.once('close', done));
  if (code !== 0) throw new Error(`the load ended with ${code}`);
  return JSON.parse(text);
}

// From the program's start to its line, on data that is there: the median and the worst.
export async function startToReady(directory, times) {
  const took = [];
  for (let i = 0; i < times; ++i) {
    const server = await Server.demo(directory);
    took.push(server.readyAfter);
    await server.stop();
  }
  took.sort((a, b) => a - b);
  return { median_ms: took[took.length >> 1], low_ms: took[0], high_ms: took.at(-1), starts: times };
}
