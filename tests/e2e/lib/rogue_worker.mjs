// The worker protocol of docs/passwords.md, written a second time: what one side of the real binary says is
// judged by this, and a worker can be made of it that misbehaves on request.
//
//   const wire = new WorkerWire(secret);
//   const { headers, body, nonce } = wire.request('/v1/verify', verifyCall({ record, password }));
//   const call = wire.openRequest(path, headers, body);       { plain, nonce, time } or throws
//   const { headers, body } = wire.reply(nonce, 200, verdict(true, kek));
//
//   const rogue = await RogueWorker.start({ secret, honest });   honest: a real worker's URL, for what is not twisted
//   rogue.onVerify = (call, answer) => answer.garbage(bytes);    call: { path, headers, body, nonce, password, record }
//   rogue.calls                                                  every verify and hash call that came, opened
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, request as httpRequest } from 'node:http';

const requestPurpose = 'muhur worker request 1';
const replyPurpose = 'muhur worker reply 1';

// HChaCha20: the subkey of XChaCha20 out of the first 16 bytes of its nonce.
export function hchacha20(key, nonce) {
  const x = new Uint32Array(16);
  const view = (bytes, at) => bytes.readUInt32LE(at);
  x.set([0x61707865, 0x3320646e, 0x79622d32, 0x6b206574]);
  for (let i = 0; i < 8; ++i) x[4 + i] = view(key, 4 * i);
  for (let i = 0; i < 4; ++i) x[12 + i] = view(nonce, 4 * i);
  const rotate = (value, by) => (value << by) | (value >>> (32 - by));
  const quarter = (a, b, c, d) => {
    x[a] += x[b]; x[d] = rotate(x[d] ^ x[a], 16);
    x[c] += x[d]; x[b] = rotate(x[b] ^ x[c], 12);
    x[a] += x[b]; x[d] = rotate(x[d] ^ x[a], 8);
    x[c] += x[d]; x[b] = rotate(x[b] ^ x[c], 7);
  };
  for (let round = 0; round < 10; ++round) {
    quarter(0, 4, 8, 12); quarter(1, 5, 9, 13); quarter(2, 6, 10, 14); quarter(3, 7, 11, 15);
    quarter(0, 5, 10, 15); quarter(1, 6, 11, 12); quarter(2, 7, 8, 13); quarter(3, 4, 9, 14);
  }
  const out = Buffer.alloc(32);
  for (let i = 0; i < 4; ++i) {
    out.writeUInt32LE(x[i], 4 * i);
    out.writeUInt32LE(x[12 + i], 16 + 4 * i);
  }
  return out;
}

function associated(purpose) {
  const head = Buffer.alloc(5);
  head[0] = 1;
  head.writeUInt32BE(purpose.length, 1);
  return Buffer.concat([head, Buffer.from(purpose)]);
}
const inner = (nonce) => Buffer.concat([Buffer.alloc(4), nonce.subarray(16)]);

export function sealBox(key, plain, purpose) {
  const nonce = randomBytes(24);
  const cipher = createCipheriv('chacha20-poly1305', hchacha20(key, nonce), inner(nonce), { authTagLength: 16 });
  cipher.setAAD(associated(purpose), { plaintextLength: plain.length });
  return Buffer.concat([Buffer.of(1), nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}
export function openBox(key, box, purpose) {
  if (box.length < 41 || box[0] !== 1) throw new Error('no box');
  const nonce = box.subarray(1, 25);
  const decipher = createDecipheriv('chacha20-poly1305', hchacha20(key, nonce), inner(nonce), { authTagLength: 16 });
  decipher.setAAD(associated(purpose), { plaintextLength: box.length - 41 });
  decipher.setAuthTag(box.subarray(-16));
  return Buffer.concat([decipher.update(box.subarray(25, -16)), decipher.final()]);
}

export class WorkerWire {
  constructor(secret) {
    this.secret = Buffer.from(secret);
    this.macKey = this.derive('', 'muhur worker mac 1');
  }
  derive(salt, info) {
    return Buffer.from(hkdfSync('sha256', this.secret, salt, info, 32));
  }
  mac(...parts) {
    const hmac = createHmac('sha256', this.macKey);
    for (const part of parts) hmac.update(part);
    return hmac.digest('base64url');
  }
  requestMac(path, time, nonce, body) {
    return this.mac(`${requestPurpose}\nPOST\n${path}\n${time}\n${nonce}\n`, body);
  }
  replyMac(nonce, status, body) {
    return this.mac(`${replyPurpose}\n${nonce}\n${status}\n`, body);
  }
  request(path, plain, { time = Date.now(), nonce = randomBytes(16).toString('base64url') } = {}) {
    const body = sealBox(this.derive(nonce, requestPurpose), plain, requestPurpose);
    const headers = { 'muhur-time': String(time), 'muhur-nonce': nonce, 'muhur-mac': this.requestMac(path, time, nonce, body) };
    return { path, headers, body, nonce };
  }
  openRequest(path, headers, body) {
    const { 'muhur-time': time, 'muhur-nonce': nonce, 'muhur-mac': mac } = headers;
    const expected = Buffer.from(this.requestMac(path, time, nonce, body));
    const given = Buffer.from(mac ?? '');
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw new Error('the MAC of a request is wrong');
    return { plain: openBox(this.derive(nonce, requestPurpose), body, requestPurpose), nonce, time: Number(time) };
  }
  reply(nonce, status, plain) {
    const body = sealBox(this.derive(nonce, replyPurpose), plain, replyPurpose);
    return { status, headers: { 'muhur-mac': this.replyMac(nonce, status, body) }, body };
  }
  openReply(nonce, status, headers, body) {
    if (headers['muhur-mac'] !== this.replyMac(nonce, status, body)) throw new Error('the MAC of a reply is wrong');
    return openBox(this.derive(nonce, replyPurpose), body, replyPurpose);
  }
}

const counted = (text) => {
  const bytes = Buffer.from(text);
  const size = Buffer.alloc(2);
  size.writeUInt16BE(bytes.length);
  return Buffer.concat([size, bytes]);
};
const u32 = (value) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
export const verifyCall = ({ record, password, limit = 10_000 }) =>
  Buffer.concat([Buffer.of(1), u32(limit), counted(record), counted(password)]);
export const hashCall = ({ password, memory = 8192, passes = 1, limit = 10_000 }) =>
  Buffer.concat([Buffer.of(2), u32(limit), u32(memory), u32(passes), counted(password)]);
export const healthCall = () => Buffer.of(3);
export const verdict = (right, kek = Buffer.alloc(0)) => Buffer.concat([Buffer.of(1, right ? 1 : 0), counted(kek)]);
export const health = ({ threads = 8, waiting = 0, running = 0, done = 0 } = {}) =>
  Buffer.concat([Buffer.of(3), u32(threads), u32(waiting), u32(running), u32(0), u32(done)]);
export const errorReply = (code, what) => Buffer.concat([Buffer.of(0, code), counted(what), counted('')]);

// { kind: 'verdict', right, kek } | { kind: 'record', record } | { kind: 'health', … } | { kind: 'error', code, what }
export function readReply(plain) {
  const text = (at) => plain.subarray(at + 2, at + 2 + plain.readUInt16BE(at));
  switch (plain[0]) {
    case 0: return { kind: 'error', code: plain[1], what: text(2).toString() };
    case 1: return { kind: 'verdict', right: plain[1] === 1, kek: text(2) };
    case 2: return { kind: 'record', record: text(1).toString() };
    case 3: return { kind: 'health', threads: plain.readUInt32BE(1), waiting: plain.readUInt32BE(5), running: plain.readUInt32BE(9) };
    default: throw new Error('no reply');
  }
}
function readCall(plain) {
  const limit = plain.readUInt32BE(1);
  if (plain[0] === 2) return { limit, password: plain.subarray(15, 15 + plain.readUInt16BE(13)).toString() };
  const recordSize = plain.readUInt16BE(5);
  const record = plain.subarray(7, 7 + recordSize).toString();
  const at = 7 + recordSize;
  return { limit, record, password: plain.subarray(at + 2, at + 2 + plain.readUInt16BE(at)).toString() };
}

// Sends a request as it stands: { status, headers, body }.
export function send(url, { path, headers, body }) {
  return new Promise((done, failed) => {
    const { hostname, port } = new URL(url);
    const request = httpRequest({ method: 'POST', host: hostname, port, path, headers: { ...headers, 'content-length': body.length } }, (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () => done({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) }));
      response.on('error', failed);
    });
    request.on('error', failed);
    request.setTimeout(30_000, () => request.destroy(new Error('no reply within 30 s')));
    request.end(body);
  });
}

// What a misbehaving worker may do with one request.
class Answer {
  constructor(rogue, call, response) {
    Object.assign(this, { rogue, call, response });
  }
  sealed(plain, { wire = this.rogue.wire, status = 200, nonce = this.call.nonce } = {}) {
    return wire.reply(nonce, status, plain);
  }
  send({ status = 200, headers = {}, body = '' }) {
    this.response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
    this.response.end(body);
  }
  // Whatever the bytes are, in place of an HTTP response; the connection closes unless it is to stay.
  raw(bytes, { close = true } = {}) {
    this.response.socket.write(bytes);
    if (close) this.response.socket.end();
  }
  reset() {
    this.response.socket.resetAndDestroy();
  }
  // As a real worker answers this very request.
  honest() {
    return send(this.rogue.honest, this.call);
  }
}

export class RogueWorker {
  static async start({ secret, honest }) {
    const rogue = new RogueWorker();
    rogue.wire = new WorkerWire(secret);
    rogue.honest = honest;
    rogue.calls = [];
    rogue.checks = 0;
    rogue.server = createServer((request, response) => rogue.take(request, response));
    rogue.server.keepAliveTimeout = 60_000;
    rogue.server.on('connection', (socket) => socket.on('error', () => {}));
    await new Promise((ready) => rogue.server.listen(0, '127.0.0.1', ready));
    rogue.url = `http://127.0.0.1:${rogue.server.address().port}`;
    return rogue;
  }
  async take(request, response) {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const { 'muhur-time': time, 'muhur-nonce': nonce, 'muhur-mac': mac } = request.headers;
    const call = { path: request.url, headers: { 'muhur-time': time, 'muhur-nonce': nonce, 'muhur-mac': mac }, body: Buffer.concat(chunks), nonce };
    const answer = new Answer(this, call, response);
    response.on('error', () => {});
    let opened;
    try {
      opened = this.wire.openRequest(call.path, call.headers, call.body);
    } catch {
      return answer.send({ status: 401, body: 'The signature is not right.\n' });
    }
    if (call.path === '/v1/health') {
      this.checks += 1;
      if (this.onHealth) return this.onHealth(call, answer);
      return answer.send(answer.sealed(health()));
    }
    Object.assign(call, readCall(opened.plain));
    this.calls.push(call);
    try {
      if (this.onVerify) return await this.onVerify(call, answer);
      return answer.send(await answer.honest());
    } catch (error) {
      if (!response.socket?.destroyed) answer.reset();
      this.failure ??= error;
    }
  }
  stop() {
    this.server.closeAllConnections();
    return new Promise((done) => this.server.close(done));
  }
}
