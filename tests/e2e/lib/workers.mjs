// Real `muhur worker` processes, a tap on the wire between server and worker, and sign-ins as users make them.
import { chmodSync, writeFileSync } from 'node:fs';
import { createServer, connect } from 'node:net';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { Imap } from './imap.mjs';
import { addressOf } from './identity.mjs';
import { labelled, parseMetrics } from './workers_metrics.mjs';
import { Process } from './server.mjs';

export const newSecret = () => randomBytes(36).toString('base64');

export function secretFile(directory, secret, name = 'worker-secret') {
  const file = join(directory, name);
  writeFileSync(file, secret + '\n');
  chmodSync(file, 0o600);
  return file;
}

// One `muhur worker`. start() again after a kill takes the same port.
export class Worker {
  constructor({ directory, secret, args = [], threads = 2, name }) {
    this.file = secretFile(directory, secret, name);
    this.args = [...args, '--threads', String(threads)];
    this.port = 0;
  }
  static async start(options) {
    const worker = new Worker(options);
    await worker.start();
    return worker;
  }
  async start() {
    this.process = new Process(['worker', '--listen', `127.0.0.1:${this.port}`, '--secret-file', this.file, '--json', ...this.args],
      { settings: { MUHUR_LOG_LEVEL: 'warn' } });
    ({ port: this.port } = await this.process.ready);
    this.url = `http://127.0.0.1:${this.port}`;
  }
  signal(name) {
    this.process.child.kill(name);
  }
  async stop(signal = 'SIGTERM') {
    const { process } = this;
    this.process = undefined;
    if (!process) return undefined;
    if (signal !== 'SIGSTOP') process.child.kill('SIGCONT');
    return process.stop(signal);
  }
  get pid() {
    return this.process.child.pid;
  }
}

// Settings of a server with these workers.
export const withWorkers = ({ workers, file, fallback = true, deadline = '8s', more = {} }) => ({
  MUHUR_PASSWORDS_WORKERS: workers.map(({ url }) => url).join(','),
  MUHUR_PASSWORDS_WORKER_SECRET: file,
  MUHUR_PASSWORDS_LOCAL_FALLBACK: String(fallback),
  MUHUR_PASSWORDS_WORKER_DEADLINE: deadline,
  // Tests say when somebody has guessed too often.
  MUHUR_SIGN_IN_FREE_GUESSES: '1000',
  MUHUR_SIGN_IN_COUNT_NETWORKS: 'false',
  ...more,
});

export async function metricsOf(url) {
  const response = await fetch(new URL('/metrics', url), { signal: AbortSignal.timeout(20_000) });
  if (response.status !== 200) throw new Error(`/metrics: ${response.status}`);
  return parseMetrics(await response.text());
}

// Waits for a condition that others bring about; `what` for the message when they do not.
export async function until(what, condition, limit = 60_000) {
  const ends = Date.now() + limit;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > ends) throw new Error(`not within ${limit / 1000} s: ${what}`);
    await new Promise((wake) => setTimeout(wake, 25));
  }
}

export const isHealthy = async (issuer, worker) =>
  labelled(await metricsOf(issuer), 'muhur_worker_healthy', { worker: worker.url }) === 1;
export const untilHealthy = (issuer, worker) => until(`${worker.url} takes part`, () => isHealthy(issuer, worker));
export const untilLeftOut = (issuer, worker) => until(`${worker.url} is left out`, async () => !(await isHealthy(issuer, worker)));

// One sign-in by a browser that has just opened our own page: 'ok', 'denied', 'unavailable' or a text that says
// what else came. With Retry-After when there is one.
export async function signInByHttp(id, user, password) {
  const browser = id.browser();
  const asked = await browser.get('/account/sessions');
  const page = await browser.submit(asked, { login: addressOf(user), password }, { form: asked.form('login', 'password') });
  const retryAfter = page.headers.get('retry-after');
  const signedIn = page.status === 200 && page.kind !== 'sign-in' && page.url.pathname === '/account/sessions';
  if (signedIn) return { result: 'ok', status: page.status, page };
  if (page.status === 503) return { result: 'unavailable', status: 503, retryAfter, page };
  if (page.kind === 'sign-in' && page.alert && page.status < 500 && page.status !== 429) return { result: 'denied', status: page.status, retryAfter, page };
  return { result: `${page.status} ${page.title}: ${page.alert}`, status: page.status, retryAfter, page };
}
export async function signInByImap(id, user, password) {
  const client = await Imap.open(id.endpoints.imap);
  try {
    const { status, text } = await client.command(`LOGIN "${addressOf(user)}" "${password}"`);
    if (status === 'OK') return { result: 'ok', text };
    if (/^\[AUTHENTICATIONFAILED\]/.test(text)) return { result: 'denied', text };
    if (/^\[UNAVAILABLE\]/.test(text)) return { result: 'unavailable', text };
    return { result: `${status} ${text}`, text };
  } finally {
    client.close();
  }
}

// A TCP proxy that keeps everything that went through it, both ways. Does nothing else.
export class Tap {
  static async start(target) {
    const tap = new Tap();
    tap.toWorker = [];
    tap.toServer = [];
    tap.sockets = new Set();
    const { hostname, port } = new URL(target);
    tap.server = createServer((near) => {
      const far = connect({ host: hostname, port: Number(port) });
      for (const socket of [near, far]) {
        tap.sockets.add(socket);
        socket.on('error', () => {});
        socket.on('close', () => {
          tap.sockets.delete(socket);
          near.destroy();
          far.destroy();
        });
      }
      near.on('data', (chunk) => {
        tap.toWorker.push(chunk);
        far.write(chunk);
      });
      far.on('data', (chunk) => {
        tap.toServer.push(chunk);
        near.write(chunk);
      });
    });
    await new Promise((ready) => tap.server.listen(0, '127.0.0.1', ready));
    tap.url = `http://127.0.0.1:${tap.server.address().port}`;
    return tap;
  }
  get sent() {
    return Buffer.concat(this.toWorker);
  }
  get received() {
    return Buffer.concat(this.toServer);
  }
  // The requests that went to the worker, as they were on the wire: [{ path, headers, body, bytes }].
  requests() {
    const found = [];
    let rest = this.sent;
    for (;;) {
      const end = rest.indexOf('\r\n\r\n');
      if (end < 0) return found;
      const [line, ...lines] = rest.subarray(0, end).toString('latin1').split('\r\n');
      const headers = Object.fromEntries(lines.map((each) => {
        const colon = each.indexOf(':');
        return [each.slice(0, colon).toLowerCase(), each.slice(colon + 1).trim()];
      }));
      const size = end + 4 + Number(headers['content-length'] ?? 0);
      if (rest.length < size) return found;
      found.push({ path: line.split(' ')[1], headers, body: rest.subarray(end + 4, size), bytes: rest.subarray(0, size) });
      rest = rest.subarray(size);
    }
  }
  stop() {
    for (const socket of this.sockets) socket.destroy();
    return new Promise((done) => this.server.close(done));
  }
}
