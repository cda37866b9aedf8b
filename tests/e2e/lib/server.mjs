// Starts the real binary on a data directory of its own and stops it again. Everything it makes lies in one
// temporary directory, which goes with the test.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');
export const binary = process.env.BINARY ?? join(root, 'build/muhur');
export const quick = Boolean(process.env.TEST_QUICK);

// The settings that keep a test's server to itself: free ports on loopback, and a hash that takes little time.
export const testSettings = {
  MUHUR_IMAP_LISTEN: '127.0.0.1:0',
  MUHUR_IMAP_LISTEN_TLS: '127.0.0.1:0',
  MUHUR_LMTP_LISTEN: '127.0.0.1:0',
  MUHUR_LOG_LEVEL: 'warn',
  MUHUR_PASSWORDS_ARGON2_MEMORY: '8MiB',
  MUHUR_PASSWORDS_ARGON2_PASSES: '1',
};

function environment(settings, temp) {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('MUHUR_'));
  return { ...Object.fromEntries(inherited), TMPDIR: temp, ...settings };
}

// One running `muhur serve` or `muhur demo`.
export class Process {
  constructor(args, { settings = testSettings, temp = tmpdir(), wrapper = [], cwd } = {}) {
    const [program, ...rest] = [...wrapper, binary, ...args];
    this.stderr = '';
    this.stdout = '';
    this.child = spawn(program, rest, { env: environment(settings, temp), cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    this.child.stderr.on('data', (text) => (this.stderr += text));
    this.exited = new Promise((done) => this.child.once('close', (code, signal) => done({ code, signal })));
    const lines = createInterface({ input: this.child.stdout });
    this.ready = new Promise((done, failed) => {
      lines.on('line', (line) => {
        this.stdout += line + '\n';
        if (!line.startsWith('{')) return;
        const parsed = JSON.parse(line);
        if (parsed.ready) done(parsed);
      });
      this.exited.then(({ code, signal }) =>
        failed(new Error(`ended with ${signal ?? code} before it was ready: ${this.stderr}`)));
    });
    this.ready.catch(() => {});
  }
  async stop(signal = 'SIGTERM') {
    this.child.kill(signal);
    return this.exited;
  }
}

// Runs a command to its end.
export function muhur(args, { input = '', settings = testSettings, temp = tmpdir(), cwd } = {}) {
  const done = spawnSync(binary, args, { input, env: environment(settings, temp), cwd, maxBuffer: 1 << 28 });
  if (done.error) throw done.error;
  return { code: done.status, stdout: done.stdout.toString(), stderr: done.stderr.toString() };
}

export function temporaryDirectory() {
  return mkdtempSync(join(tmpdir(), 'muhur-e2e-'));
}

// A data directory for example.org with users, and servers on it, one at a time.
export class Installation {
  // users: { alice: 'password' }
  constructor(users, { directory = temporaryDirectory(), settings = {} } = {}) {
    this.directory = directory;
    this.data = join(directory, 'data');
    this.config = join(this.data, 'muhur.toml');
    this.temp = join(directory, 'tmp');
    this.settings = { ...testSettings, ...settings };
    this.users = users;
    this.recoveryKeys = {};
    mkdirSync(this.temp, { recursive: true });
    this.must(['init', this.data, '--domain', 'example.org'], { bare: true });
    for (const [name, password] of Object.entries(users)) {
      const added = this.must(['user', 'add', `${name}@example.org`, '--json'], { input: password + '\n' });
      this.recoveryKeys[name] = JSON.parse(added.stdout).recovery_key;
    }
  }
  run(args, { input, bare = false } = {}) {
    const all = bare ? args : [...args, '--config', this.config];
    return muhur(all, { input, settings: this.settings, temp: this.temp });
  }
  must(args, options) {
    const done = this.run(args, options);
    if (done.code !== 0) throw new Error(`muhur ${args.join(' ')}: ${done.stderr}`);
    return done;
  }
  async start(options = {}) {
    this.server = new Process(['serve', '--config', this.config, '--json'],
      { settings: this.settings, temp: this.temp, ...options });
    this.endpoints = await this.server.ready;
    return this.endpoints;
  }
  async stop(signal) {
    const { server } = this;
    this.server = undefined;
    return server?.stop(signal);
  }
  passwordFile(name) {
    const file = join(this.directory, `${name}.password`);
    writeFileSync(file, this.users[name] + '\n');
    return file;
  }
  async remove() {
    await this.stop('SIGKILL');
    rmSync(this.directory, { recursive: true, force: true });
  }
}
