// Prometheus' text format 0.0.4, read strictly: what a scraper would refuse or misread is an error here.

const namePattern = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const labelPattern = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

function parseValue(text) {
  if (text === '+Inf') return Infinity;
  if (text === '-Inf') return -Infinity;
  if (text === 'NaN') return NaN;
  if (!/^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(text)) throw new Error(`no number: ${text}`);
  return Number(text);
}

// `name{a="b",…}`: only \\ \" and \n may be escaped, and nothing else may need it.
function parseLabels(text) {
  const labels = {};
  let at = 0;
  while (at < text.length) {
    const equals = text.indexOf('="', at);
    const name = text.slice(at, equals);
    if (equals < 0 || !labelPattern.test(name)) throw new Error(`a label's name: ${text.slice(at)}`);
    if (name.startsWith('__')) throw new Error(`a reserved label: ${name}`);
    if (name in labels) throw new Error(`a label twice: ${name}`);
    let value = '';
    for (at = equals + 2; text[at] !== '"'; ++at) {
      if (at >= text.length) throw new Error(`a value without end: ${text}`);
      if (text[at] !== '\\') {
        value += text[at];
        continue;
      }
      const escaped = { '\\': '\\', '"': '"', n: '\n' }[text[++at]];
      if (escaped === undefined) throw new Error(`an escape that is none: ${text}`);
      value += escaped;
    }
    labels[name] = value;
    at += 1;
    if (at === text.length) break;
    if (text[at] !== ',') throw new Error(`between labels: ${text}`);
    at += 1;
    if (at === text.length) throw new Error(`a comma at the end: ${text}`);
  }
  return labels;
}

// [{ name, type, help, samples: [{ name, labels, value }] }]
export function parseMetrics(text) {
  if (!text.endsWith('\n')) throw new Error('the last line has no end');
  if (text.includes('\r')) throw new Error('a carriage return');
  const families = [];
  const known = new Map();
  const series = new Set();
  let current;
  for (const line of text.slice(0, -1).split('\n')) {
    if (line === '') throw new Error('an empty line');
    if (line.startsWith('# HELP ')) {
      const [, name, help] = /^# HELP (\S+) (.*)$/.exec(line) ?? [];
      if (!name || !namePattern.test(name)) throw new Error(`HELP: ${line}`);
      if (known.has(name)) throw new Error(`a family twice: ${name}`);
      if (/\\(?![\\n])/.test(help)) throw new Error(`an escape in HELP: ${line}`);
      if (!help) throw new Error(`no help for ${name}`);
      current = { name, help, samples: [] };
      known.set(name, current);
      families.push(current);
      continue;
    }
    if (line.startsWith('# TYPE ')) {
      const [, name, type] = /^# TYPE (\S+) (counter|gauge|histogram|summary|untyped)$/.exec(line) ?? [];
      if (!current || name !== current.name) throw new Error(`TYPE apart from its HELP: ${line}`);
      if (current.type) throw new Error(`TYPE twice: ${line}`);
      if (current.samples.length > 0) throw new Error(`TYPE behind samples: ${line}`);
      current.type = type;
      continue;
    }
    if (line.startsWith('#')) throw new Error(`a comment that we do not write: ${line}`);
    const [, name, , inside, value] = /^([^\s{]+)(\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (!name || !namePattern.test(name)) throw new Error(`no sample: ${line}`);
    if (!current?.type) throw new Error(`a sample without HELP and TYPE: ${line}`);
    const suffix = name.slice(current.name.length);
    const allowed = current.type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
    if (!name.startsWith(current.name) || !allowed.includes(suffix)) throw new Error(`a sample of another family: ${line}`);
    const labels = inside === undefined ? {} : parseLabels(inside);
    const key = name + JSON.stringify(Object.entries(labels).sort());
    if (series.has(key)) throw new Error(`a series twice: ${line}`);
    series.add(key);
    current.samples.push({ name, labels, value: parseValue(value) });
  }
  for (const family of families) checkFamily(family);
  return families;
}

function checkFamily({ name, type, samples }) {
  if (!type) throw new Error(`${name} has no TYPE`);
  if (type === 'counter') {
    if (!name.endsWith('_total')) throw new Error(`the counter ${name} does not end in _total`);
    for (const { value } of samples) if (!(value >= 0)) throw new Error(`the counter ${name} is ${value}`);
  }
  if (type !== 'counter' && name.endsWith('_total')) throw new Error(`${name} ends in _total and is no counter`);
  if (type !== 'histogram') return;
  const groups = new Map();
  for (const { name: full, labels, value } of samples) {
    const { le, ...rest } = labels;
    const key = JSON.stringify(Object.entries(rest).sort());
    if (!groups.has(key)) groups.set(key, { buckets: [] });
    const group = groups.get(key);
    if (full.endsWith('_bucket')) group.buckets.push({ le: parseValue(le), value });
    else group[full.slice(name.length + 1)] = value;
  }
  for (const [key, { buckets, sum, count }] of groups) {
    if (sum === undefined || count === undefined) throw new Error(`${name}${key} lacks its sum or count`);
    for (let i = 1; i < buckets.length; ++i)
      if (!(buckets[i].le > buckets[i - 1].le) || buckets[i].value < buckets[i - 1].value)
        throw new Error(`the buckets of ${name}${key} do not ascend`);
    if (buckets.at(-1)?.le !== Infinity || buckets.at(-1).value !== count) throw new Error(`${name}${key}: +Inf is not the count`);
  }
}

export const family = (families, name) => families.find((each) => each.name === name);

// The sum of a family's samples that have these labels (of a histogram: its count); undefined when there are none.
export function labelled(families, name, labels = {}) {
  const found = family(families, name);
  const wanted = found?.type === 'histogram' ? `${name}_count` : name;
  const samples = found?.samples.filter((sample) => sample.name === wanted &&
    Object.entries(labels).every(([label, value]) => sample.labels[label] === value)) ?? [];
  return samples.length === 0 ? undefined : samples.reduce((sum, { value }) => sum + value, 0);
}
