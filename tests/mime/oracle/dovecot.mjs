// Runs Dovecot's imap over a Maildir, signed in already, and gives its FETCH responses.

import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseResponses } from './imap_parser.mjs';

export const dovecotImap = process.env.MUHUR_DOVECOT_IMAP ?? '/usr/lib/dovecot/imap';
export const isInstalled = () => existsSync(dovecotImap);

// Dovecot refuses to run as root: nobody does it then.
const nobody = 65534;
const asRoot = process.getuid() === 0;

export class Dovecot {
  constructor(directory) {
    this.directory = directory;
    chmodSync(directory, 0o755);
    this.maildir = join(directory, 'maildir');
    for (const name of ['maildir', 'maildir/cur', 'maildir/new', 'maildir/tmp', 'home', 'run']) {
      mkdirSync(join(directory, name));
      if (asRoot) chownSync(join(directory, name), nobody, nobody);
    }
    this.config = join(directory, 'dovecot.conf');
    writeFileSync(this.config, [
      'ssl = no',
      'protocols = imap',
      `mail_location = maildir:${this.maildir}:INDEX=MEMORY`,
      `base_dir = ${join(directory, 'run')}`,
      `state_dir = ${join(directory, 'run')}`,
      'maildir_broken_filename_sizes = yes',
    ].join('\n') + '\n');
    this.count = 0;
  }

  // Messages are numbered from 1 in the order in which they are put in.
  put(bytes) {
    this.count += 1;
    const path = join(this.maildir, 'cur', `${String(1000000 + this.count)}.m.host:2,S`);
    writeFileSync(path, bytes);
    if (asRoot) chownSync(path, nobody, nobody);
    return this.count;
  }

  // fetches: [[number, "(ITEMS)"], …]. Gives, a number, the items of all its responses.
  fetch(fetches) {
    const script = ['1 SELECT INBOX', ...fetches.map(([n, items], i) => `${i + 2} FETCH ${n} ${items}`), 'x LOGOUT'];
    const result = spawnSync(dovecotImap, ['-c', this.config], {
      input: script.join('\r\n') + '\r\n',
      env: { USER: 'nobody', HOME: join(this.directory, 'home') },
      maxBuffer: 1 << 30,
      timeout: 300000,
      ...(asRoot ? { uid: nobody, gid: nobody } : {}),
    });
    if (result.status !== 0) throw new Error(`dovecot's imap failed: ${result.error ?? result.stderr}`);
    return parseResponses(result.stdout.toString('latin1'));
  }
}
