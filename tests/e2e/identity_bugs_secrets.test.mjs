// Bug class 47 of identity providers: no log line, command, page or number carries a secret.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { dpopProof, formLine, keyPair, raw, requestText } from './lib/attack.mjs';
import { IdentityServer, passwords } from './lib/identity.mjs';
import { Imap } from './lib/imap.mjs';

test('bug 47: nothing that is secret is in the log, at any level, nor in what commands and numbers tell, nor on the disk', async () => {
  const id = await IdentityServer.start({ settings: { MUHUR_LOG_LEVEL: 'trace', MUHUR_SIGN_IN_DYNAMIC_REGISTRATION: 'true' } });
  const secrets = new Map();
  const keep = (name, value) => { assert.ok(value?.length >= 8, `${name}: ${value}`); secrets.set(`${name} ${secrets.size}`, value); return value; };
  try {
    for (const [name, password] of Object.entries(passwords)) keep(`password of ${name}`, password);
    for (const [name, key] of Object.entries(id.installation.recoveryKeys)) keep(`recovery key of ${name}`, key);
    const device = 'urn:ietf:params:oauth:grant-type:device_code';
    const app = id.addClient('app', ['--public', '--grant', 'authorization_code', '--grant', 'refresh_token', '--grant', device, '--scope', 'openid', '--scope', 'email', '--scope', 'mail', '--scope', 'offline_access']);
    const server = id.addClient('server', ['--first-party', '--may-introspect', '--access-token', 'jwt', '--grant', 'client_credentials', '--grant', 'authorization_code', '--grant', 'refresh_token']);
    const post = id.addClient('post', ['--auth', 'client_secret_post', '--grant', 'client_credentials']);
    for (const client of [server, post]) keep('client secret', client.secret);
    keep('client secret', JSON.parse(id.installation.must(['client', 'rotate-secret', 'post', '--json']).stdout).secret);
    const initial = keep('initial token', JSON.parse(id.installation.must(['client', 'initial-token', '--json']).stdout).token);
    const registered = await (await fetch(`${id.issuer}/oauth2/register`, { method: 'POST', headers: { authorization: `Bearer ${initial}`, 'content-type': 'application/json' }, body: JSON.stringify({ redirect_uris: ['https://r.example/cb'] }) })).json();
    keep('registered secret', registered.client_secret);
    keep('registration token', registered.registration_access_token);
    await fetch(registered.registration_client_uri, { headers: { authorization: `Bearer ${registered.registration_access_token}` } });

    // Sign-ins, good and bad; what people type in the wrong field too.
    const mistaken = keep('a password typed as a name', `Hunter2${randomBytes(6).toString('hex')}`);
    const wrong = keep('a wrong password', `wrong${randomBytes(6).toString('hex')}`);
    const browser = id.browser();
    const { url, verifier, state } = id.authorizeUrl(app, { scope: 'openid email mail offline_access', prompt: 'login consent' });
    keep('verifier', verifier);
    keep('state', state);
    let page = await browser.get(url);
    keep('csrf', page.form('login').fields.csrf);
    keep('pending', page.form('login').fields.pending);
    await browser.submit(page, { login: mistaken, password: wrong }, { form: page.form('login') });
    page = await id.signIn(browser, page);
    assert.equal(page.kind, 'consent');
    const back = id.cameBack(await browser.submit(page, {}, { button: 'approve' }));
    keep('code', back.parameters.code);
    keep('session cookie', browser.cookie('muhur-session'));
    keep('binding cookie', browser.cookie('muhur-browser'));
    const first = (await id.exchange(app, { ...back, verifier })).body;
    const second = (await id.token(app, { grant_type: 'refresh_token', refresh_token: first.refresh_token })).body;
    for (const { access_token, refresh_token, id_token } of [first, second]) {
      keep('access token', access_token);
      keep('refresh token', refresh_token);
      keep('id token', id_token);
    }
    keep('id token signature', first.id_token.split('.')[2]);
    await id.exchange(app, { ...back, verifier });
    await id.userinfo(second.access_token);
    await id.introspect(server, second.access_token);
    await id.post('/oauth2/revoke', app, { token: second.refresh_token });
    await id.token({ ...server, secret: keep('a wrong secret', `nope${randomBytes(8).toString('hex')}`) }, { grant_type: 'client_credentials', scope: 'profile' });
    keep('jwt access token', (await id.token(server, { grant_type: 'client_credentials', scope: 'profile' })).body.access_token);
    await id.token({ ...post, secret: server.secret }, { grant_type: 'client_credentials' }, { send: 'post' });
    const pair = keyPair();
    const proof = keep('DPoP proof', dpopProof(pair, 'POST', `${id.issuer}/oauth2/token`));
    await id.token(app, { grant_type: 'refresh_token', refresh_token: 'x' }, { headers: { dpop: proof } });
    const pushed = (await id.post('/oauth2/par', server, { ...Object.fromEntries(id.authorizeUrl(server).url.searchParams), nonce: keep('nonce', randomBytes(12).toString('hex')) })).body;
    keep('request_uri', pushed.request_uri.split(':').pop());
    await browser.request('GET', `/oauth2/authorize?${new URLSearchParams({ client_id: 'server', request_uri: pushed.request_uri })}`);
    const asked = (await id.post('/oauth2/device_authorization', app, { scope: 'openid mail' })).body;
    keep('device code', asked.device_code);
    keep('user code', asked.user_code);
    const confirm = await browser.submit(await browser.get(asked.verification_uri_complete), {});
    await browser.submit(confirm, {}, { button: 'approve' });
    await id.token(app, { grant_type: device, device_code: asked.device_code });
    // Requests that go wrong, with secrets where they do not belong.
    const misplaced = keep('a token in the address', randomBytes(16).toString('hex'));
    await fetch(`${id.issuer}/oauth2/userinfo?access_token=${misplaced}`);
    await fetch(`${id.issuer}/nowhere/?password=${misplaced}`);
    await fetch(`${id.issuer}/oauth2/token?client_secret=${misplaced}`, { method: 'POST', body: new URLSearchParams({ client_secret: misplaced }) });
    await raw(id.issuer, requestText('POST', '/oauth2/token', { lines: [formLine, `Authorization: Basic ${Buffer.from(`a:${misplaced}`).toString('base64')}`, `X-${misplaced}: x`], body: `%zz=${misplaced}` }));
    keep('Basic of it', Buffer.from(`a:${misplaced}`).toString('base64'));
    await raw(id.issuer, `BREW /${misplaced} HTTP/9.9\r\n${misplaced}\r\n\r\n`);
    // Mail, by password and by token.
    const imap = await Imap.login(id.endpoints.imap, 'alice@example.org', passwords.alice);
    await imap.command('LOGOUT');
    const bad = await Imap.open(id.endpoints.imap);
    await bad.command(`LOGIN "${mistaken}" "${wrong}"`);
    await bad.command(`AUTHENTICATE OAUTHBEARER ${Buffer.from(`n,a=alice@example.org,\x01auth=Bearer ${second.access_token}\x01\x01`).toString('base64')}\r\nAQ==`);
    bad.close();
    await browser.get(`/oauth2/logout?${new URLSearchParams({ id_token_hint: second.id_token })}`);
    id.installation.must(['user', 'passwd', 'alice@example.org'], { input: `${passwords.alice}\n${keep('new password', 'a new one for alice')}\n` });

    const told = { metrics: await (await fetch(`${id.issuer}/metrics`)).text() };
    for (const [name, args] of Object.entries({ users: ['user', 'list', '--json'], clients: ['client', 'list', '--json'], stats: ['stats', '--json'], doctor: ['doctor'] })) {
      const { stdout, stderr } = id.run(args);
      told[name] = stdout + stderr;
    }
    const { server: process } = id.installation;
    await id.installation.stop();
    told.log = process.stderr + process.stdout;
    assert.match(told.log, /debug http/, 'the log is not at its finest');
    const walk = (directory) => readdirSync(directory).flatMap((name) => {
      const path = join(directory, name);
      const stat = statSync(path);
      return stat.isDirectory() ? walk(path) : stat.isFile() ? [path] : [];
    });
    for (const path of walk(id.installation.data)) told[path] = readFileSync(path, 'latin1');
    for (const [where, text] of Object.entries(told)) {
      const lower = text.toLowerCase();
      for (const [name, secret] of secrets) {
        // Whole, encoded, or enough of it to go on with.
        for (const form of new Set([secret, encodeURIComponent(secret), secret.slice(0, 24)]))
          assert.ok(!lower.includes(form.toLowerCase()), `${name} is in ${where}: …${lower.substr(Math.max(0, lower.indexOf(form.toLowerCase()) - 80), 200)}`);
      }
    }
  } finally {
    await id.remove();
  }
});
