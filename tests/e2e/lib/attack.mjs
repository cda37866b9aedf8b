// What an attacker has that browsers and libraries have not: requests written byte by byte, many at once,
// tokens made by hand, and texts that have broken others.
import { createHash, createHmac, createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, sign as signWith } from 'node:crypto';
import { connect } from 'node:net';

// One connection: `bytes` out, all that comes back until the server closes (or `until` matches) in.
// { text, status, head, body }; status 0: closed without an answer.
export function raw(issuer, bytes, { until, timeout = 20_000 } = {}) {
  const { hostname, port } = new URL(issuer);
  return new Promise((done, failed) => {
    const socket = connect({ host: hostname, port: Number(port) });
    let text = '';
    const finish = () => {
      socket.destroy();
      const [head, ...rest] = text.split('\r\n\r\n');
      done({ text, head, body: rest.join('\r\n\r\n'), status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0) });
    };
    socket.setTimeout(timeout, () => { socket.destroy(); failed(new Error(`no end within ${timeout} ms: ${text.slice(0, 200)}`)); });
    socket.on('data', (piece) => { text += piece.toString('latin1'); if (until?.test(text)) finish(); });
    socket.on('end', finish);
    socket.on('error', (error) => (error.code === 'ECONNRESET' || error.code === 'EPIPE' ? finish() : failed(error)));
    socket.on('connect', () => socket.write(bytes));
  });
}

// A request as text, with Connection: close and the length of its body. `lines`: further header lines.
export function requestText(method, target, { host = '127.0.0.1', lines = [], body } = {}) {
  const head = [`${method} ${target} HTTP/1.1`, `Host: ${host}`, 'Connection: close', ...lines];
  if (body !== undefined) head.push(`Content-Length: ${Buffer.byteLength(body)}`);
  return head.join('\r\n') + '\r\n\r\n' + (body ?? '');
}
export const formLine = 'Content-Type: application/x-www-form-urlencoded';

export const atOnce = (n, one) => Promise.all(Array.from({ length: n }, (_, i) => one(i)));

// A number of /metrics: the sum over all its labels, or of the one written like `result="ok"`.
export async function metric(issuer, name, label = '') {
  const text = await (await fetch(new URL('/metrics', issuer))).text();
  let sum = 0;
  for (const line of text.split('\n')) {
    const [, found, labels, value] = /^([a-z0-9_]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (found === name && (labels ?? '').includes(label)) sum += Number(value);
  }
  return sum;
}

const json64 = (object) => Buffer.from(JSON.stringify(object)).toString('base64url');

// A JWT of any kind. `key`: a private KeyObject or PEM, a Buffer (HMAC), or nothing at all (no signature).
export function jwt(header, claims, key) {
  const input = `${json64(header)}.${json64(claims)}`;
  if (!key) return `${input}.`;
  if (Buffer.isBuffer(key)) return `${input}.${createHmac('sha256', key).update(input).digest('base64url')}`;
  const rsa = key.asymmetricKeyType === 'rsa';
  const hash = key.asymmetricKeyType === 'ed25519' ? null : 'sha256';
  const signature = signWith(hash, Buffer.from(input), rsa ? { key } : { key, dsaEncoding: 'ieee-p1363' });
  return `${input}.${signature.toString('base64url')}`;
}

export function keyPair(kind = 'ec') {
  const { privateKey, publicKey } =
    kind === 'rsa' ? generateKeyPairSync('rsa', { modulusLength: 2048 })
    : kind === 'ed25519' ? generateKeyPairSync('ed25519')
    : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { privateKey, publicKey, jwk: publicKey.export({ format: 'jwk' }), pem: publicKey.export({ type: 'spki', format: 'pem' }) };
}
export const publicFromJwk = (jwk) => createPublicKey({ key: jwk, format: 'jwk' });
export const privateFromPem = createPrivateKey;
export const jti = () => randomBytes(12).toString('base64url');
export const nowSeconds = () => Math.floor(Date.now() / 1000);

// A DPoP proof (RFC 9449 §4.2). `change` gets header and claims before they are signed.
export function dpopProof(pair, method, url, { accessToken, change = () => {}, key = pair.privateKey } = {}) {
  const header = { typ: 'dpop+jwt', alg: 'ES256', jwk: pair.jwk };
  const claims = { jti: jti(), htm: method, htu: url, iat: nowSeconds() };
  if (accessToken !== undefined) claims.ath = createHash('sha256').update(accessToken).digest('base64url');
  change(header, claims);
  return jwt(header, claims, key);
}

// Texts that are harmless where they are only text. Each bears the mark, so that a test can look for it.
export const mark = 'zqx7';
export const markup = [
  `"><script>${mark}()</script>`,
  `'><img src=x onerror=${mark}()>`,
  `javascript:${mark}()`,
  `</title></textarea><svg/onload=${mark}()>`,
  `{{${mark}}}\${${mark}}<%=${mark}%>`,
  `<!--${mark}--><base href=//evil.example>`,
  `\u202e${mark}\u2028\u2029\ufeff`,
  `&lt;${mark}&#x3c;`,
];
export const hostile = [
  ...markup,
  `${mark}\r\nSet-Cookie: planted=1\r\n\r\n<b>`,
  `${mark}\n`,
  `${mark}%0d%0aLocation:%20https://evil.example`,
  `${mark}\u0000tail`,
  `${mark}${'A'.repeat(3000)}`,
  `//evil.example/${mark}`,
  `/\\evil.example/${mark}`,
  `https://evil.example/${mark}`,
  `' OR 1=1;-- ${mark}`,
  `../../../../etc/passwd${mark}`,
  `\ud83d\ude00${mark}`,
  '',
  '-1', '99999999999999999999', 'null', '[]', '{"$gt":""}',
];
