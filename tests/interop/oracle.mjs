// SQLite3 Multiple Ciphers as a command, with the same arguments as vault_tool:
//   oracle.mjs DATABASE KEY CIPHER STEP...
// KEY is the bytes of the key in hex, CIPHER chacha20, sqleet or aes256cbc. A STEP is SQL, whose first
// column of each row is printed; or !kill; or !turn, which prints "ready" and waits for a line.
import { readSync } from 'node:fs';

import Database from 'better-sqlite3-multiple-ciphers';

const [path, keyHex, cipher, ...steps] = process.argv.slice(2);
const db = new Database(path);
db.pragma(`cipher='${cipher === 'sqleet' ? 'chacha20' : cipher}'`);
if (cipher === 'sqleet') db.pragma('legacy=1');
db.key(Buffer.from(keyHex, 'hex'));

function takeTurn() {
  process.stdout.write('ready\n');
  const one = Buffer.alloc(1);
  while (readSync(0, one, 0, 1) === 1 && one[0] !== 10);
}

for (const step of steps) {
  if (step === '!kill') process.kill(process.pid, 'SIGKILL');
  if (step === '!turn') {
    takeTurn();
    continue;
  }
  const statement = db.prepare(step);
  if (statement.reader) {
    for (const row of statement.raw().all()) console.log(String(row[0]));
  } else {
    db.exec(step);
  }
}
db.close();
