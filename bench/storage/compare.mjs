// Runs the four programs in turn and compares them; started by compare.sh.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '21' },
    'large-rounds': { type: 'string', default: '5' },
    dir: { type: 'string' },
    json: { type: 'string' },
  },
});
const roomNeeded = 1 << 30;
const roomy = (path) => {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize > roomNeeded;
  } catch {
    return false;
  }
};
const parent = options.dir ?? (roomy('/dev/shm') ? '/dev/shm' : tmpdir());
const directory = mkdtempSync(join(parent, 'muhur-compare-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
process.on('SIGINT', () => process.exit(130));

const muhur = fileURLToPath(new URL('../../build/muhur', import.meta.url));
const seed = fileURLToPath(new URL('seed.mjs', import.meta.url));
const run = (file, ...args) => JSON.parse(execFileSync(file, args, { encoding: 'utf8' }));
const one = (config) => run(muhur, 'bench', 'storage', '--one', config, '--dir', directory, '--json', '-');
// Five passes in one process: Node's JIT is warm in the median one.
const node = (rival, workload, passes) => run(process.execPath, seed, rival, workload, directory, passes);

const programs = {
  muhur: { label: 'Muhur', seed: () => one('production'), large: () => one('large') },
  plain: { label: 'SQLite in C++, unencrypted', seed: () => one('plain'), large: () => one('large-plain') },
  node: {
    label: 'Node, chacha20',
    seed: () => node('chacha20', 'seed', '5'),
    large: () => node('chacha20', 'large', '1'),
  },
  nodePlain: {
    label: 'Node, unencrypted',
    seed: () => node('plain', 'seed', '5'),
    large: () => node('plain', 'large', '1'),
  },
};

function measure(workload, rounds) {
  const all = Object.fromEntries(Object.keys(programs).map((name) => [name, []]));
  for (let round = 1; round <= rounds; round++) {
    process.stderr.write(`\r${workload} ${round}/${rounds} `);
    for (const name of Object.keys(programs)) all[name].push(programs[name][workload]());
  }
  process.stderr.write('\r\x1b[K');
  return (name, key) => {
    const values = all[name].map((figures) => figures[key]).sort((a, b) => a - b);
    const n = values.length;
    return n % 2 ? values[(n - 1) / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
  };
}

function print(title, median, columns) {
  console.log(`\n${title}\n${''.padEnd(28)}${columns.map(([, head]) => head.padStart(16)).join('')}`);
  for (const [name, { label }] of Object.entries(programs)) {
    const cells = columns.map(([key]) => {
      const value = median(name, key);
      return (value >= 1000 ? Math.round(value).toLocaleString('en') : value.toFixed(1)).padStart(16);
    });
    console.log(label.padEnd(28) + cells.join(''));
  }
}

console.log(`Databases in ${parent}; Node ${process.version}; medians of ${options.rounds} and ${options['large-rounds']} rounds.`);
const small = measure('seed', Number(options.rounds));
print('The seed\'s workload', small, [['setup_ms', 'setup ms'], ['insert_per_s', 'insert/s'], ['select_per_s', 'select/s'],
  ['update_per_s', 'update/s'], ['insert_cpu_us', 'insert CPU us'], ['select_cpu_us', 'select CPU us'],
  ['update_cpu_us', 'update CPU us']]);
const large = measure('large', Number(options['large-rounds']));
print('82 MB under a cache of 2 MB, CPU ms', large, [['write_cpu_ms', 'write'], ['checkpoint_cpu_ms', 'checkpoint'],
  ['scan_cpu_ms', 'scan'], ['index_cpu_ms', 'CREATE INDEX']]);

const round3 = (x) => Math.round(x * 1000) / 1000;
const rate = (key, rival) => round3(small('muhur', key) / small(rival, key));
const rates = (rival) => ({
  insert: rate('insert_per_s', rival),
  update: rate('update_per_s', rival),
  select: rate('select_per_s', rival),
  setup: round3(small(rival, 'setup_ms') / small('muhur', 'setup_ms')),
});
const cpu = (key) => ({
  vs_node: round3(large('muhur', key) / large('node', key)),
  vs_plain: round3(large('muhur', key) / large('plain', key)),
});
const ratios = {
  vs_node: rates('node'),
  vs_plain: rates('plain'),
  checkpoint_cpu: cpu('checkpoint_cpu_ms'),
  create_index_cpu: cpu('index_cpu_ms'),
};

const wanted = {
  vs_node: { insert: 2.5, update: 2.3, select: 4, checkpoint: 0.25, index: 0.6 },
  vs_plain: { insert: 0.85, update: 0.85, select: 0.97, checkpoint: 1.05, index: 1.4 },
};
console.log('\nOurs / theirs: rates (more is better), then CPU time (less is better); in brackets what was to be reached');
for (const [rival, label] of [['vs_node', 'Node, chacha20'], ['vs_plain', 'C++, unencrypted']]) {
  const goal = wanted[rival];
  const cells = [
    ...['insert', 'update', 'select'].map((key) => `${key} ${ratios[rival][key]} (>= ${goal[key]})`),
    `setup ${ratios[rival].setup}`,
    `checkpoint ${ratios.checkpoint_cpu[rival]} (<= ${goal.checkpoint})`,
    `CREATE INDEX ${ratios.create_index_cpu[rival]} (<= ${goal.index})`,
  ];
  console.log(`${label.padEnd(18)}${cells.join('  ')}`);
}
if (options.json) writeFileSync(options.json, `${JSON.stringify(ratios)}\n`);
