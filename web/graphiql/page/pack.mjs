// Packs every built asset with gzip, in place: the Go program embeds the packed bytes and serves them as they are,
// so that neither the repository nor the binary carries them twice. index.html stays as it is: a nonce is put in it
// with every answer.
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, gzipSync } from 'node:zlib';

const dist = process.env.DIST ?? new URL('../dist', import.meta.url).pathname;
const limit = 2.5 * 1000 * 1000;

let total = 0;
for (const name of readdirSync(join(dist, 'assets')).sort()) {
  const file = join(dist, 'assets', name);
  if (name.endsWith('.woff2')) {
    total += statSync(file).size; // packed by nature
    continue;
  }
  const packed = gzipSync(readFileSync(file), { level: constants.Z_BEST_COMPRESSION, memLevel: 9 });
  packed[9] = 255; // the system it was packed on: unknown, whichever it was
  writeFileSync(file + '.gz', packed);
  rmSync(file);
  total += packed.length;
}
console.log(`assets, packed: ${total} bytes of at most ${limit}`);
if (total > limit) process.exit(1);
