// BODYSTRUCTURE and ENVELOPE in a form in which what does not matter is the same:
//   - Names of parameters are in lower case: ours are, Dovecot keeps them as written (RFC 2045: case does
//     not matter).
//   - Strings have no white space around them: we trim a folded field's value, Dovecot keeps what stood
//     after the fold.
//   - A message that is text/plain in US-ASCII and 7 bits and nothing else is remembered by Dovecot as just
//     that, so the case in which it was written is lost.

const text = (value) => (value && value.atom !== undefined ? value.atom : value);
const trimmed = (value) => (typeof value === 'string' ? value.trim() : text(value));

function parameters(list) {
  if (list === null) return null;
  return list.map((value, i) => (i % 2 === 0 ? value.toLowerCase() : value));
}

function extension([disposition, language, location]) {
  return [
    disposition === null ? null : [disposition[0], parameters(disposition[1])],
    language,
    trimmed(location),
  ];
}

const isPlain7Bit = (part) =>
  part[0].toLowerCase() === 'text' && part[1].toLowerCase() === 'plain' &&
  part[5].toLowerCase() === '7bit' && part[3] === null && part[4] === null &&
  part[2].length === 2 && part[2][0] === 'charset' && part[2][1].toLowerCase() === 'us-ascii' &&
  part.slice(8).every((value) => value === null);

function part(value) {
  if (Array.isArray(value[0])) {
    const count = value.findIndex((item) => !Array.isArray(item));
    const [subtype, list, ...rest] = value.slice(count);
    return [...value.slice(0, count).map(part), subtype, parameters(list), ...extension(rest)];
  }
  const [type, subtype, list, id, description, encoding, size, ...rest] = value;
  const out = [type, subtype, parameters(list), trimmed(id), trimmed(description), encoding, text(size)];
  if (type.toLowerCase() === 'text') {
    out.push(text(rest.shift()));
  } else if (type === 'message' && subtype === 'rfc822') {
    const [inner, body, lines] = rest.splice(0, 3);
    out.push(envelope(inner), part(body), text(lines));
  }
  const [md5, ...more] = rest;
  return [...out, trimmed(md5), ...extension(more)];
}

export function bodyStructure(value) {
  const canonical = part(value);
  if (Array.isArray(canonical[0]) || !isPlain7Bit(canonical)) return canonical;
  return ['text', 'plain', ['charset', 'us-ascii'], null, null, '7bit', ...canonical.slice(6)];
}

export function envelope(value) {
  const addresses = (list) => (list === null ? null : list.map((address) => address.map(trimmed)));
  return value.map((item) => (Array.isArray(item) ? addresses(item) : trimmed(item)));
}
