// Leads the runs of run.sh, which says what they are.
import { cpus, loadavg } from 'node:os';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { load, Server, startToReady, startWorker, Templates, withDirectory } from './servers.mjs';
import { table } from './table.mjs';

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: 'build/bench-login' },
    seconds: { type: 'string', default: '30' },
    rounds: { type: 'string', default: '1' },
    only: { type: 'string', default: 'load,peer,nohash,onecore,start,memory' },
    quick: { type: 'boolean', default: false },
  },
});
const only = new Set(values.only.split(','));
const seconds = values.quick ? 3 : Number(values.seconds);
const rounds = Number(values.rounds);
const accounts = values.quick ? 100 : 1000;
const withPeer = only.has('peer') && existsSync('bench/login/peer/node_modules/oidc-provider');
mkdirSync(values.out, { recursive: true });

const results = { when: new Date().toISOString(), cores: cpus().length, cpu: cpus()[0]?.model, seconds, rounds, runs: [] };
function keep(name, figures) {
  results.runs.push({ name, load_average: loadavg()[0], ...figures });
  writeFileSync(join(values.out, 'results.json'), JSON.stringify(results, null, 1) + '\n');
  writeFileSync(join(values.out, 'table.md'), table(results));
  const rate = figures.iterations_per_s?.toFixed(1);
  console.error(`${name}: ${rate ? `${rate} iterations/s, ${figures.errors} errors` : JSON.stringify(figures)}`);
}

// A run that fails is told and left out: the others are still worth having.
async function attempt(name, run) {
  try {
    await run();
  } catch (error) {
    console.error(`${name}: ${error.message}`);
    process.exitCode = 1;
  }
}

// Users queue for the hash: the first full turn is not counted.
const warmUp = (users, perSecond) => (values.quick ? 1 : Math.ceil(Math.max(4, (1.3 * users) / perSecond)));

function ours(name, users, { cost = 10, server = {}, warm = 50, extra = [], workers = [] } = {}) {
  return attempt(name, () => withDirectory(async (directory) => {
    await templates.copy(cost, directory);
    const one = await Server.demo(directory, { accounts, cost, ...server });
    try {
      const args = ['--users', users, '--accounts', accounts, '--warm-up', warmUp(users, warm), '--pid', one.pid];
      for (const worker of workers) args.push('--worker-pid', worker.pid);
      keep(name, await load(one.url, [...args, ...(extra.length ? extra : ['--seconds', seconds])]));
    } finally {
      await one.stop();
    }
  }));
}

function peer(name, users, { cost = 10, warm = 25 } = {}) {
  return attempt(name, async () => {
    const one = await templates.startPeer(cost);
    try {
      const args = ['--users', users, '--accounts', accounts, '--warm-up', warmUp(users, warm), '--pid', one.pid];
      args.push('--profile', 'bench/login/profiles/oidc-provider.json', '--seconds', seconds);
      keep(name, await load(one.url, args));
    } finally {
      await one.stop();
    }
  });
}

let templates;
await withDirectory(async (common) => {
  templates = new Templates(common, accounts);
  for (let round = 0; round < rounds; ++round) {
    for (const users of [100, 200, 500]) {
      if (only.has('load')) await ours(`muhur ${users}`, users);
      if (withPeer) await peer(`oidc-provider ${users}`, users);
    }
    if (only.has('nohash')) {
      await ours('muhur 100 cost 4', 100, { cost: 4, warm: 500 });
      if (withPeer) await peer('oidc-provider 100 cost 4', 100, { cost: 4, warm: 100 });
    }
    if (only.has('onecore') && cpus().length > 1) {
      const one = { core: 0, settings: { MUHUR_PASSWORDS_THREADS: '1', MUHUR_SERVER_IO_THREADS: '1' } };
      await ours('muhur 100 on one core', 100, { server: one, warm: 20 });
      await withDirectory(async (directory) => {
        const worker = await startWorker(directory, { core: 1 });
        try {
          const with_ = { ...one, settings: { ...one.settings, ...worker.settings } };
          await ours('muhur 100 on one core, a worker on the other', 100, { server: with_, workers: [worker], warm: 30 });
        } finally {
          await worker.stop();
        }
      });
    }
  }
  if (only.has('start'))
    await withDirectory(async (directory) => {
      await templates.copy(10, directory);
      keep('start to ready', await startToReady(directory, values.quick ? 3 : 21));
    });
  if (only.has('memory'))
    await ours('muhur 100 cost 4, 100,000 iterations', 100,
      { cost: 4, warm: 500, extra: ['--iterations', values.quick ? 1000 : 100_000] });
});
console.log(table(results));
