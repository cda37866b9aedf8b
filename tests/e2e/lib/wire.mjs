// A socket read by lines and by counted bytes: what both small clients stand on.
import net from 'node:net';
import tls from 'node:tls';

export class Wire {
  static open({ host, port }, { secure = false } = {}) {
    return new Promise((done, failed) => {
      const socket = secure
        ? tls.connect({ host, port, rejectUnauthorized: false }, () => done(new Wire(socket)))
        : net.connect({ host, port }, () => done(new Wire(socket)));
      socket.once('error', failed);
    });
  }
  constructor(socket) {
    this.socket = socket;
    this.chunks = [];
    this.size = 0;
    this.ended = false;
    this.wake = () => {};
    socket.setNoDelay(true);
    socket.on('data', (chunk) => {
      this.chunks.push(chunk);
      this.size += chunk.length;
      this.wake();
    });
    const end = () => {
      this.ended = true;
      this.wake();
    };
    socket.on('close', end);
    socket.on('end', end);
    socket.on('error', end);
  }
  write(bytes) {
    if (!this.socket.destroyed) this.socket.write(bytes);
  }
  close() {
    this.socket.destroy();
  }
  join() {
    if (this.chunks.length > 1) this.chunks = [Buffer.concat(this.chunks)];
    return this.chunks[0] ?? Buffer.alloc(0);
  }
  async more() {
    if (this.ended) throw new Error('the connection was closed');
    let timer;
    await new Promise((wake, failed) => {
      this.wake = wake;
      timer = setTimeout(() => failed(new Error('no answer within 30 s')), 30_000);
    });
    clearTimeout(timer);
  }
  take(count) {
    const all = this.join();
    this.chunks = count < all.length ? [all.subarray(count)] : [];
    this.size -= count;
    return all.subarray(0, count);
  }
  async line() {
    for (;;) {
      const at = this.join().indexOf('\r\n');
      if (at >= 0) return this.take(at + 2).subarray(0, at).toString('latin1');
      await this.more();
    }
  }
  async bytes(count) {
    while (this.size < count) await this.more();
    return Buffer.from(this.take(count));
  }
}
