// A small LMTP client.
import { Wire } from './wire.mjs';

export class Lmtp {
  static async open(endpoint) {
    const client = new Lmtp();
    client.wire = await Wire.open(endpoint);
    await client.reply();
    await client.command('LHLO client.example.com');
    return client;
  }
  // { code, text } of one reply, however many lines it has.
  async reply() {
    const lines = [];
    for (;;) {
      const line = await this.wire.line();
      lines.push(line.slice(4));
      if (line[3] !== '-') return { code: Number(line.slice(0, 3)), text: lines.join('\n') };
    }
  }
  async command(line) {
    this.wire.write(line + '\r\n');
    return this.reply();
  }
  // One reply for each recipient: that of RCPT where it was refused, else that of the data.
  // With `chunked` the bytes go by BDAT as they are; with DATA the last line gets an end.
  async deliver({ from = 'sender@example.com', to, message, chunked = false }) {
    const sender = await this.command(`MAIL FROM:<${from}> BODY=8BITMIME`);
    if (sender.code !== 250) throw new Error(`MAIL: ${sender.code} ${sender.text}`);
    const replies = [];
    for (const address of to) replies.push(await this.command(`RCPT TO:<${address}>`));
    if (replies.some(({ code }) => code === 250)) {
      if (chunked) {
        this.wire.write(`BDAT ${message.length} LAST\r\n`);
        this.wire.write(message);
      } else {
        const go = await this.command('DATA');
        if (go.code !== 354) throw new Error(`DATA: ${go.code} ${go.text}`);
        this.wire.write(dotStuffed(message));
      }
      for (const [i, { code }] of replies.entries()) if (code === 250) replies[i] = await this.reply();
    } else {
      await this.command('RSET');
    }
    return replies;
  }
  async quit() {
    await this.command('QUIT').catch(() => {});
    this.wire.close();
  }
}

// The bytes as DATA sends them: a line that begins with a dot gets another, a last line end, the final dot.
export function dotStuffed(message) {
  // Bytes, not characters: a line begins at the start and after LF only.
  let text = message.toString('latin1').replaceAll('\n.', '\n..');
  if (text.startsWith('.')) text = '.' + text;
  if (text.length > 0 && !text.endsWith('\n')) text += '\r\n';
  return Buffer.from(text + '.\r\n', 'latin1');
}
