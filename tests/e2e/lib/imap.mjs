// A small IMAP client that shows what is on the wire: exact bytes, tagged replies, nothing repaired.
import { Wire } from './wire.mjs';

export class Imap {
  static async open(endpoint, options) {
    const client = new Imap();
    client.wire = await Wire.open(endpoint, options);
    client.number = 0;
    client.greeting = await client.wire.line();
    return client;
  }
  static async login(endpoint, address, password, options) {
    const client = await Imap.open(endpoint, options);
    const reply = await client.command(`LOGIN "${address}" "${password}"`);
    if (reply.status !== 'OK') {
      client.close();
      throw new Error(`LOGIN: ${reply.status} ${reply.text}`);
    }
    return client;
  }
  // One response: its text, with each literal's bytes in `literals` and "{n}" left in the text.
  async response() {
    let text = '';
    const literals = [];
    for (;;) {
      const line = await this.wire.line();
      text += line;
      const literal = /\{(\d+)\}$/.exec(line);
      if (!literal) return { text, literals };
      literals.push(await this.wire.bytes(Number(literal[1])));
    }
  }
  // { status, text, untagged }
  async finish(tag) {
    const untagged = [];
    for (;;) {
      const response = await this.response();
      if (response.text.startsWith(tag + ' ')) {
        const [, status, text] = /^\S+ (\S+) ?(.*)$/s.exec(response.text);
        return { status, text, untagged };
      }
      if (response.text.startsWith('* BYE') && this.wire.ended) throw new Error(response.text);
      untagged.push(response);
    }
  }
  async command(line) {
    const tag = `t${++this.number}`;
    this.wire.write(`${tag} ${line}\r\n`);
    return this.finish(tag);
  }
  // The message as a synchronising literal.
  async append(folder, message, flags = '') {
    const tag = `t${++this.number}`;
    this.wire.write(`${tag} APPEND "${folder}" ${flags}{${message.length}}\r\n`);
    const go = await this.wire.line();
    if (!go.startsWith('+')) {
      const [, status, text] = /^\S+ (\S+) ?(.*)$/s.exec(go);
      return { status, text, untagged: [] };
    }
    this.wire.write(message);
    this.wire.write('\r\n');
    return this.finish(tag);
  }
  // [{ uid, size, bytes }] of the folder's messages, ascending.
  async everything(folder) {
    const selected = await this.command(`EXAMINE "${folder}"`);
    if (selected.status !== 'OK') throw new Error(`EXAMINE ${folder}: ${selected.text}`);
    const reply = await this.command('UID FETCH 1:* (UID RFC822.SIZE BODY.PEEK[])');
    if (reply.status !== 'OK') throw new Error(`FETCH: ${reply.text}`);
    return reply.untagged.filter(({ text }) => / FETCH \(/.test(text)).map(({ text, literals }) => ({
      uid: Number(/UID (\d+)/.exec(text)[1]),
      size: Number(/RFC822\.SIZE (\d+)/.exec(text)[1]),
      bytes: literals[0] ?? Buffer.alloc(0),
    }));
  }
  close() {
    this.wire.close();
  }
}
