// The peer of the sign-in load: an OpenID Connect provider made of npm's oidc-provider as its manual shows it,
// everything in memory, RS256, bcrypt on libuv's four threads. Prints one line of JSON when ready.
//
//   node server.mjs [--accounts 1000] [--cost 10] [--port 0] [--records FILE]
//
// FILE keeps the password records for the next start: hashing a thousand takes half a minute.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { generateKeyPairSync } from 'node:crypto';
import { parseArgs } from 'node:util';
import bcrypt from 'bcrypt';
import Provider from 'oidc-provider';
import { MapAdapter } from './adapter.mjs';

const { values } = parseArgs({
  options: {
    accounts: { type: 'string', default: '1000' },
    cost: { type: 'string', default: '10' },
    port: { type: 'string', default: '0' },
    records: { type: 'string' },
  },
});
const count = Number(values.accounts);
const cost = Number(values.cost);

const accounts = new Map();
async function makeAccount(number) {
  const digits = String(number).padStart(4, '0');
  accounts.set(`bench${digits}@example.org`, await bcrypt.hash(`bench-password-${digits}`, cost));
}
if (values.records && existsSync(values.records)) {
  for (const [address, record] of JSON.parse(readFileSync(values.records, 'utf8'))) accounts.set(address, record);
} else {
  for (let from = 1; from <= count; from += 64)
    await Promise.all(Array.from({ length: Math.min(64, count - from + 1) }, (_, i) => makeAccount(from + i)));
  if (values.records) writeFileSync(values.records, JSON.stringify([...accounts]), { mode: 0o600 });
}

const server = createServer();
await new Promise((done) => server.listen(Number(values.port), '127.0.0.1', done));
const issuer = `http://127.0.0.1:${server.address().port}`;

const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
const provider = new Provider(issuer, {
  adapter: MapAdapter,
  clients: [
    {
      client_id: 'bench',
      client_secret: 'bench-secret',
      client_name: 'Load test',
      redirect_uris: ['http://127.0.0.1/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'client_secret_post',
    },
  ],
  jwks: { keys: [{ ...key, use: 'sig', alg: 'RS256' }] },
  cookies: { keys: ['of this run only'] },
  claims: { openid: ['sub'], profile: ['name'], email: ['email', 'email_verified'] },
  features: { devInteractions: { enabled: false }, introspection: { enabled: true } },
  interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
  issueRefreshToken: () => true,
  rotateRefreshToken: true,
  ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 3600, IdToken: 600, Interaction: 600, RefreshToken: 3600, Session: 3600 },
  async findAccount(_, id) {
    return { accountId: id, claims: () => ({ sub: id, name: id, email: id, email_verified: true }) };
  },
  // As our bench client: no consent is asked for.
  async loadExistingGrant(ctx) {
    const { session, client } = ctx.oidc;
    const grant = new ctx.oidc.provider.Grant({ clientId: client.clientId, accountId: session.accountId });
    grant.addOIDCScope(ctx.oidc.params.scope);
    await grant.save();
    return grant;
  },
});

const escaped = (text) => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
const page = (uid, problem) => `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Sign in</title></head>
<body><main><h1>Sign in</h1><p>${escaped(problem)}</p><form method="post" action="/interaction/${escaped(uid)}">
<label>Address <input name="login" autocomplete="username" required></label>
<label>Password <input name="password" type="password" autocomplete="current-password" required></label>
<button>Sign in</button></form></main></body></html>`;

async function bodyOf(request) {
  let text = '';
  for await (const piece of request) text += piece;
  return new URLSearchParams(text);
}

async function interact(request, response) {
  const { uid } = await provider.interactionDetails(request, response);
  let problem = '';
  if (request.method === 'POST') {
    const form = await bodyOf(request);
    const record = accounts.get(form.get('login') ?? '');
    if (record && (await bcrypt.compare(form.get('password') ?? '', record)))
      return provider.interactionFinished(request, response, { login: { accountId: form.get('login') } });
    problem = 'The address or the password is wrong.';
  }
  response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' });
  return response.end(page(uid, problem));
}

const serve = provider.callback();
server.on('request', (request, response) => {
  if (!request.url.startsWith('/interaction/')) return serve(request, response);
  return interact(request, response).catch((error) => {
    response.writeHead(500);
    response.end(String(error.message));
  });
});
console.log(JSON.stringify({ ready: true, http: issuer, pid: process.pid, accounts: count, bcrypt_cost: cost }));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(0));
