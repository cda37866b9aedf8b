// Reads IMAP's syntax into arrays (lists), strings, null (NIL) and { atom } (everything else). Octets are
// characters of latin1.

class Reader {
  constructor(text) {
    this.text = text;
    this.at = 0;
  }
  get done() { return this.at >= this.text.length; }
  is(c) { return this.text[this.at] === c; }
  skipBlanks() { while (this.is(' ') || this.is('\r') || this.is('\n')) this.at += 1; }

  value() {
    if (this.is('(')) return this.list();
    if (this.is('"')) return this.quoted();
    if (this.is('{')) return this.literal();
    const start = this.at;
    let depth = 0;
    for (; !this.done; this.at += 1) {
      const c = this.text[this.at];
      if (c === '[') depth += 1;
      if (c === ']') depth -= 1;
      if (depth === 0 && ' ()\r\n'.includes(c)) break;
    }
    const atom = this.text.slice(start, this.at);
    if (atom === '') throw new Error(`nothing to read at ${start}: ${this.text.slice(start, start + 40)}`);
    return atom === 'NIL' ? null : { atom };
  }

  list() {
    const items = [];
    this.at += 1;
    for (this.skipBlanks(); !this.is(')'); this.skipBlanks()) items.push(this.value());
    this.at += 1;
    return items;
  }

  quoted() {
    let out = '';
    for (this.at += 1; !this.is('"'); this.at += 1) {
      if (this.is('\\')) this.at += 1;
      out += this.text[this.at];
    }
    this.at += 1;
    return out;
  }

  literal() {
    const end = this.text.indexOf('}', this.at);
    const size = Number(this.text.slice(this.at + 1, end));
    this.at = end + 3 + size;
    return this.text.slice(end + 3, end + 3 + size);
  }
}

// All values of a text.
export function parseValues(text) {
  const reader = new Reader(text);
  const values = [];
  for (reader.skipBlanks(); !reader.done; reader.skipBlanks()) values.push(reader.value());
  return values;
}

// What a server said: for each message number, its FETCH items by name. Refusals are errors.
export function parseResponses(text) {
  const reader = new Reader(text);
  const messages = new Map();
  for (reader.skipBlanks(); !reader.done; reader.skipBlanks()) {
    const line = /(\*|\w+) (\d+ FETCH )?/y;
    line.lastIndex = reader.at;
    const match = line.exec(text);
    if (match?.[2]) {
      reader.at += match[0].length;
      const items = reader.list();
      const number = Number(match[2].split(' ')[0]);
      const found = messages.get(number) ?? new Map();
      for (let i = 0; i < items.length; i += 2) found.set(items[i].atom.toUpperCase(), items[i + 1]);
      messages.set(number, found);
      continue;
    }
    const end = text.indexOf('\r\n', reader.at);
    const reply = text.slice(reader.at, end);
    if (/^\w+ (NO|BAD) /.test(reply)) throw new Error(`dovecot: ${reply}`);
    reader.at = end;
  }
  return messages;
}
