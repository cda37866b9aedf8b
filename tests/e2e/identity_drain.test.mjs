// SIGTERM under load: what the server was asked it answers, no connection is reset under a request, /readyz says
// so first where that is wanted, and the exit code is 0.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { IdentityServer, passwords } from './lib/identity.mjs';
import { RogueWorker } from './lib/rogue_worker.mjs';
import { quick } from './lib/server.mjs';
import { newSecret, secretFile, until, untilHealthy, withWorkers } from './lib/workers.mjs';

let id, app;
before(async () => {
  id = await IdentityServer.start({ settings: { MUHUR_SIGN_IN_FREE_GUESSES: '1000', MUHUR_SIGN_IN_COUNT_NETWORKS: 'false' } });
  app = id.addClient('app', ['--public']);
});
after(() => id?.remove());

// One connection as bytes: what it was asked, what came, how it ended.
class Connection {
  static open({ host, port }) {
    return new Promise((done, failed) => {
      const connection = new Connection();
      connection.socket = connect({ host, port }, () => done(connection));
      connection.socket.once('error', failed);
    });
  }
  constructor() {
    this.received = '';
    this.asked = 0;
    this.wake = () => {};
    this.ended = new Promise((done) => (this.end = done));
  }
  listen() {
    this.socket.removeAllListeners('error');
    this.socket.on('data', (chunk) => {
      this.received += chunk.toString('latin1');
      this.wake();
    });
    this.socket.on('end', () => this.end('closed'));
    this.socket.on('error', ({ code }) => this.end(code));
    this.socket.on('close', () => {
      this.end('closed');
      this.wake();
    });
    return this;
  }
  // Resolves when the kernel has the bytes.
  ask(text) {
    this.asked += 1;
    return new Promise((done) => this.socket.write(text, done));
  }
  // How many whole answers came; throws where one is cut short at the end.
  answers() {
    let rest = this.received, count = 0;
    for (; rest !== ''; ++count) {
      const end = rest.indexOf('\r\n\r\n');
      if (end < 0) throw new Error(`an answer cut short: ${rest.slice(0, 100)}`);
      const status = Number(/^HTTP\/1\.1 (\d+)/.exec(rest)?.[1]);
      const length = Number(/^content-length: (\d+)/im.exec(rest.slice(0, end))?.[1] ?? 0);
      if (rest.length < end + 4 + length) throw new Error('a body cut short');
      (this.statuses ??= []).push(status);
      rest = rest.slice(end + 4 + length);
    }
    return count;
  }
  async answer() {
    const before = this.received.length;
    await until('an answer', async () => this.received.length > before);
  }
}

const get = (path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
function post(path, fields, headers = {}) {
  const body = new URLSearchParams(fields).toString();
  const lines = Object.entries({ Host: 'x', 'Content-Type': 'application/x-www-form-urlencoded', 'Content-Length': body.length, ...headers });
  return `POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
}

// A sign-in form filled in, as bytes: a request that needs a hash.
async function signInBytes(user) {
  const browser = id.browser();
  const page = await browser.get('/account/sessions');
  const form = page.form('login', 'password');
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  return post(new URL(form.action, page.url).pathname, { ...form.fields, login: `${user}@example.org`, password: passwords[user] },
    { Cookie: cookie, Origin: id.issuer, 'Sec-Fetch-Site': 'same-origin' });
}

test('every request that had reached the server is answered, on connections new and old; the exit code is 0', { timeout: 200_000 }, async () => {
  for (let round = 0; round < (quick ? 2 : 8); ++round) {
    const tokens = await id.tokens(app, { scope: 'openid offline_access', prompt: 'consent' });
    const requests = [
      get('/oauth2/jwks'), get('/.well-known/openid-configuration'), get('/no/such/page'),
      post('/oauth2/token', { grant_type: 'refresh_token', refresh_token: tokens.refresh_token, client_id: app.id }),
      post('/oauth2/token', { grant_type: 'refresh_token', refresh_token: 'unknown', client_id: app.id }),
    ];
    for (let i = 0; i < 6; ++i) requests.push(await signInBytes(['alice', 'bob', 'admin'][i % 3]));
    // Old connections have been answered once, and are idle.
    const old = [];
    for (let i = 0; i < 24; ++i) {
      const connection = (await Connection.open(id.endpoints.http)).listen();
      await connection.ask(get('/healthz'));
      await until('the first answer', () => connection.received.includes('ok\n'));
      old.push(connection);
    }
    const idle = old.splice(18);
    const fresh = await Promise.all(Array.from({ length: 30 }, () => Connection.open(id.endpoints.http)));
    fresh.forEach((connection) => connection.listen());
    // Some of these are answered, some are at work, some still lie in the kernel's buffers, some were not even
    // accepted when the signal comes.
    const all = [...old, ...fresh];
    const moment = (round * 7) % all.length;
    const late = [];
    await Promise.all(all.slice(0, moment).map((connection, i) => connection.ask(requests[i % requests.length])));
    await Promise.all(all.slice(moment).map((connection, i) => connection.ask(requests[i % requests.length])));
    late.push(...(await Promise.all(Array.from({ length: 20 }, async () => {
      const connection = await Connection.open(id.endpoints.http);
      connection.listen();
      await connection.ask(get('/oauth2/jwks'));
      return connection;
    }))));
    const { exited } = id.installation.server;
    id.installation.server.child.kill('SIGTERM');
    for (const connection of [...all, ...late]) {
      assert.equal(await connection.ended, 'closed', 'no reset under a request');
      assert.equal(connection.answers(), connection.asked, `an answer to each: ${connection.received.slice(0, 60)}`);
      assert.ok(connection.statuses.every((status) => status < 500 || status === 503), `${connection.statuses}`);
    }
    for (const connection of idle) {
      assert.equal(await connection.ended, 'closed');
      assert.equal(connection.answers(), 1);
    }
    assert.deepEqual(await exited, { code: 0, signal: null }, id.installation.server.stderr);
    await id.begin();
  }
});

test('/readyz says no first, while everything else goes on; then nobody new is taken', async () => {
  await id.restart({ settings: { MUHUR_SERVER_DRAIN_NOTICE: '2s' } });
  const kept = (await Connection.open(id.endpoints.http)).listen();
  await kept.ask(get('/readyz'));
  await until('ready', () => kept.received.includes('ready\n'));
  const server = id.installation.server;
  server.child.kill('SIGTERM');
  // New connections, each: the port is still open.
  const ready = () => Connection.open(id.endpoints.http).then(async (connection) => {
    connection.listen();
    await connection.ask(get('/readyz').replace('Host', 'Connection: close\r\nHost'));
    await connection.ended;
    return connection.answers() && connection.statuses[0];
  }, ({ code }) => code);
  const seen = [];
  await until('not ready', async () => {
    seen.push(await ready());
    return seen.at(-1) === 503;
  });
  assert.ok(seen.slice(0, -1).every((status) => status === 200), `${seen}`);
  assert.equal((await id.json('/oauth2/jwks')).status, 200, 'a new connection is served');
  assert.ok((await id.tokens(app)).access_token, 'even sign-ins are');
  await kept.ask(get('/readyz'));
  await until('the kept connection is answered', () => kept.received.includes('503'));
  assert.match(kept.received, /HTTP\/1\.1 503 [^]*Retry-After: \d+/i);
  await until('nobody new is taken', async () => (await ready()) === 'ECONNREFUSED');
  assert.equal(await kept.ended, 'closed');
  assert.deepEqual(await server.exited, { code: 0, signal: null });
  id.installation.settings.MUHUR_SERVER_DRAIN_NOTICE = '0s';
  await id.begin();
});

test('what takes longer than the drain timeout is given up, and the exit code is still 0', async () => {
  const secret = newSecret();
  const rogue = await RogueWorker.start({ secret });
  rogue.onVerify = () => {};
  try {
    await id.restart({
      settings: {
        MUHUR_SERVER_DRAIN_TIMEOUT: '1s',
        ...withWorkers({ workers: [rogue], file: secretFile(id.installation.directory, secret), fallback: false, deadline: '60s' }),
      },
    });
    await untilHealthy(id.issuer, rogue);
    const connection = (await Connection.open(id.endpoints.http)).listen();
    await connection.ask(await signInBytes('alice'));
    await until('it is at the worker', () => rogue.calls.length === 1);
    const { exited, child } = id.installation.server;
    child.kill('SIGTERM');
    await connection.ended;
    assert.equal(connection.received, '', 'there was nothing to say');
    assert.deepEqual(await exited, { code: 0, signal: null });
  } finally {
    await rogue.stop();
  }
});
