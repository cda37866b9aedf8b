// What relying parties do, with the libraries they use: keys of their own, openid-client 6 set up for the server
// under test, ID tokens verified by jose with the keys that the server publishes.
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { SignJWT, calculateJwkThumbprint, createRemoteJWKSet, exportJWK, generateKeyPair, jwtVerify } from 'jose';
import * as openid from 'openid-client';

// { alg, privateKey, publicKey, jwk (public, with kid and alg), thumbprint }
export async function makeKey(alg = 'ES256') {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = await exportJWK(publicKey);
  const thumbprint = await calculateJwkThumbprint(jwk);
  return { alg, privateKey, publicKey, thumbprint, jwk: { ...jwk, kid: thumbprint, alg, use: 'sig' } };
}

// A client that proves itself by private_key_jwt with these keys: what id.addClient() returns, and `keys`.
export function addKeyClient(id, name, keys, args = []) {
  const file = join(id.installation.directory, `${name}.jwks.json`);
  writeFileSync(file, JSON.stringify({ keys: keys.map(({ jwk }) => jwk) }));
  return { ...id.addClient(name, ['--jwks-file', file, ...args]), keys };
}

export const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

// The fields of a client assertion. `claims`: instead of the right ones; undefined leaves one out.
export async function assertion(id, client, claims = {}, { key = client.keys[0], header = {} } = {}) {
  const now = Math.floor(Date.now() / 1000);
  const all = { iss: client.id, sub: client.id, aud: id.issuer, jti: randomUUID(), iat: now, exp: now + 60, ...claims };
  for (const name of Object.keys(all)) if (all[name] === undefined) delete all[name];
  const jwt = await new SignJWT(all).setProtectedHeader({ alg: key.alg, kid: key.jwk.kid, ...header }).sign(key.privateKey);
  return { client_assertion_type: assertionType, client_assertion: jwt };
}

// A DPoP proof (RFC 9449). `claims` and `header` go before the right ones; undefined leaves one out.
export async function dpopProof(key, method, url, { accessToken, claims = {}, header = {}, sign = key } = {}) {
  const { kid, use, alg, ...jwk } = key.jwk;
  const body = { jti: randomUUID(), htm: method, htu: String(url), iat: Math.floor(Date.now() / 1000), ...claims };
  if (accessToken !== undefined && !('ath' in claims)) {
    const digest = await crypto.subtle.digest('SHA-256', Buffer.from(accessToken));
    body.ath = Buffer.from(digest).toString('base64url');
  }
  const head = { typ: 'dpop+jwt', alg: key.alg, jwk, ...header };
  for (const all of [body, head]) for (const name of Object.keys(all)) if (all[name] === undefined) delete all[name];
  return new SignJWT(body).setProtectedHeader(head).sign(sign.privateKey);
}

// The claims of an ID token, after jose has checked it against the server's published keys.
export async function verifyIdToken(id, token, clientId, options = {}) {
  const keys = createRemoteJWKSet(new URL('/oauth2/jwks', id.issuer));
  const { payload, protectedHeader } = await jwtVerify(token, keys, { issuer: id.issuer, audience: clientId, ...options });
  return { ...payload, alg: protectedHeader.alg, kid: protectedHeader.kid };
}

// openid-client for a client, from the server's metadata; it checks every signature.
export async function discover(id, client, auth, metadata = {}) {
  const config = await openid.discovery(new URL(id.issuer), client.id, metadata, auth, { execute: [openid.allowInsecureRequests] });
  openid.enableNonRepudiationChecks(config);
  return config;
}

// An authorization request by openid-client and its code's redemption, with `browser` in between. `grant`: what
// authorizationCodeGrant takes beside the checks ({ DPoP }); `par`: pushed. Gives { tokens, back, url }.
export async function codeFlow(id, config, client, { browser = id.browser(), user = 'alice', par = false, parameters = {}, checks = {}, tokenParameters, grant } = {}) {
  const pkceCodeVerifier = openid.randomPKCECodeVerifier();
  const all = {
    redirect_uri: client.redirect, scope: 'openid', state: openid.randomState(), nonce: openid.randomNonce(),
    code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier), code_challenge_method: 'S256', ...parameters,
  };
  const url = par ? await openid.buildAuthorizationUrlWithPAR(config, all, grant) : openid.buildAuthorizationUrl(config, all);
  const back = await id.complete(browser, await browser.get(url), { user });
  if (!back.redirect) throw new Error(`nothing came back: ${back.page.status} ${back.page.title} ${back.page.alert}`);
  const tokens = await openid.authorizationCodeGrant(config, currentUrl(back), {
    pkceCodeVerifier, expectedState: all.state, expectedNonce: all.nonce, idTokenExpected: true, ...checks,
  }, tokenParameters, grant);
  return { tokens, back, url };
}

// What the client's web server sees: the address, or with form_post the request itself.
export function currentUrl({ by, redirect, parameters }) {
  if (by === 'redirect') return redirect;
  return new Request(redirect, { method: 'POST', body: new URLSearchParams(parameters) });
}

// A client's own web server on loopback. `answer(request, body)` gives a status, or [status, headers, body];
// requests() is a list of { method, url, headers, form }, and arrived(n) waits until there are n of them.
export async function listen(answer = () => 200) {
  const requests = [];
  let wake = () => {};
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      requests.push({ method: request.method, url: request.url, headers: request.headers, form: Object.fromEntries(new URLSearchParams(body)) });
      const [status, headers = {}, text = ''] = [answer(request, body, requests.length)].flat();
      response.writeHead(status, headers).end(text);
      wake();
    });
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    requests: () => requests,
    async arrived(count, seconds = 30) {
      const deadline = setTimeout(() => wake(new Error(`only ${requests.length} of ${count} requests came`)), seconds * 1000);
      try {
        while (requests.length < count) {
          const failed = await new Promise((done) => (wake = done));
          if (failed) throw failed;
        }
      } finally {
        clearTimeout(deadline);
      }
      return requests;
    },
    close: () => new Promise((done) => { server.closeAllConnections(); server.close(done); }),
  };
}
