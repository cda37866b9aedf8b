// Debian's Apache with mod_auth_openidc, of one's own: one process, everything below one directory, on free ports of
// loopback. Behind it an application that answers with the headers it was sent, as JSON.
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';

const program = ['/usr/sbin/apache2', '/usr/sbin/httpd'].find(existsSync);
const modules = '/usr/lib/apache2/modules';

async function freePort() {
  const server = createServer();
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

function answers(port) {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => (socket.destroy(), done(true)));
    socket.once('error', () => done(false));
  });
}

async function openApplication() {
  const server = createServer((request, response) => {
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ path: request.url, headers: request.headers }));
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return server;
}

export class Apache {
  // The ports are known before the configuration: clients are registered by them.
  static async reserve(directory, names) {
    const apache = new Apache();
    apache.directory = directory;
    apache.ports = {};
    for (const name of names) apache.ports[name] = await freePort();
    return apache;
  }
  url(name) {
    return `http://localhost:${this.ports[name]}`;
  }
  // hosts: by name, the lines of each virtual host
  async start(hosts) {
    this.application = await openApplication();
    const directory = join(this.directory, 'apache');
    mkdirSync(join(directory, 'cache'), { recursive: true });
    this.log = join(directory, 'error.log');
    const root = process.getuid?.() === 0;
    // Apache gives up being root and must still reach its files.
    if (root) for (const path of [this.directory, directory, join(directory, 'cache')]) chmodSync(path, 0o777);
    const loaded = ['mpm_event', 'authz_core', 'authn_core', 'authz_user', 'headers', 'proxy', 'proxy_http', 'auth_openidc'];
    const backend = `http://127.0.0.1:${this.application.address().port}/`;
    const lines = [
      `ServerRoot ${directory}`, `PidFile ${directory}/pid`, `Mutex file:${directory}`, `ErrorLog ${this.log}`, 'LogLevel warn auth_openidc:info',
      'ServerName localhost', ...(root ? ['User www-data', 'Group www-data'] : []),
      ...loaded.map((name) => `LoadModule ${name}_module ${modules}/mod_${name}.so`),
      'ProxyTimeout 20',
      ...Object.entries(hosts).flatMap(([name, settings]) => [
        `Listen 127.0.0.1:${this.ports[name]}`, `<VirtualHost 127.0.0.1:${this.ports[name]}>`, `ServerName http://localhost:${this.ports[name]}`,
        'ProxyPass /app/callback !', `ProxyPass / ${backend}`, ...settings, '</VirtualHost>']),
    ];
    const configuration = join(directory, 'apache.conf');
    writeFileSync(configuration, lines.join('\n') + '\n');
    this.output = '';
    this.child = spawn(program, ['-X', '-d', directory, '-f', configuration], { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.child.stdout, this.child.stderr]) stream.on('data', (text) => (this.output += text));
    this.exited = new Promise((done) => this.child.once('exit', done));
    let ended = false;
    this.exited.then(() => (ended = true));
    for (const port of Object.values(this.ports))
      while (!(await answers(port))) {
        if (ended) throw new Error(`Apache ended: ${this.output}${this.errors()}`);
        await new Promise((wake) => setTimeout(wake, 20));
      }
  }
  errors() {
    return existsSync(this.log) ? readFileSync(this.log, 'utf8') : '';
  }
  async stop() {
    this.child?.kill('SIGTERM');
    await this.exited;
    this.application?.closeAllConnections();
    this.application?.close();
  }
}
