// The figures of run.mjs as Markdown: medians over the rounds.
function median(values) {
  const known = values.filter((value) => value !== null && value !== undefined).sort((a, b) => a - b);
  return known.length ? known[known.length >> 1] : null;
}
const shown = (value, digits = 0) => (value === null ? '–' : value.toFixed(digits));
const row = (cells) => `| ${cells.join(' | ')} |\n`;
const MiB = 1 << 20;

export function table({ when, cores, cpu, seconds, rounds, runs }) {
  const of = (group, key) => median(group.map((run) => key(run)));
  const groups = new Map();
  for (const run of runs) {
    if (!groups.has(run.name)) groups.set(run.name, []);
    groups.get(run.name).push(run);
  }
  let text = `${when}, ${cores} cores (${cpu}), ${seconds} s a run, ${rounds} rounds; times in ms.\n\n`;
  const head = ['run', 'iterations/s', 'authorize p50/p95', 'login p50/p95', 'token p50/p95', 'introspect p50/p95',
    'refresh p50/p95', 'server CPU/it.', 'of it hashing', 'the rest', 'generator CPU/it.', 'commits/it.', 'fsyncs/it.',
    'errors', 'refused'];
  text += row(head) + row(head.map((_, i) => (i ? '--:' : '--')));
  for (const [name, group] of groups) {
    if (!group[0].steps) continue;
    const step = (which) => {
      const p = (key) => of(group, (run) => run.steps[which][key]);
      return `${shown(p('p50_ms'), p('p50_ms') < 100 ? 1 : 0)} / ${shown(p('p95_ms'), p('p95_ms') < 100 ? 1 : 0)}`;
    };
    const each = (key) => shown(of(group, (run) => (run[key] === null ? null : run[key] / run.iterations)), 2);
    text += row([name, shown(of(group, (run) => run.iterations_per_s), 1),
      ...['authorize', 'login', 'token', 'introspect', 'refresh'].map(step),
      shown(of(group, (run) => run.server_cpu_ms_per_iteration), 2),
      shown(of(group, (run) => run.server_hash_cpu_ms_per_iteration), 2),
      shown(of(group, (run) => run.server_other_cpu_ms_per_iteration), 2),
      shown(of(group, (run) => run.generator_cpu_ms_per_iteration), 2), each('commits'), each('fsyncs'),
      Math.max(...group.map((run) => run.errors)), Math.max(...group.map((run) => run.refused))]);
  }
  for (const [name, group] of groups) {
    const [one] = group;
    if (one.median_ms !== undefined)
      text += `\n${name}: median ${shown(one.median_ms)} ms, ${shown(one.low_ms)} to ${shown(one.high_ms)} ms over ${one.starts} starts.\n`;
    if (name.includes('iterations') && one.server_memory)
      text += `\n${name}: memory in MiB ${one.server_memory.map((p) => `${(p.bytes / MiB).toFixed(1)} (${p.iterations})`).join(', ')}.\n`;
  }
  return text;
}
