// Puts the page together in ../dist (or the folder that DIST names): Swagger UI as it is published, and the
// few files of our own, under names that hold a hash of their content, packed with gzip.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const here = path.dirname(fileURLToPath(import.meta.url));
const dist = process.env.DIST ?? path.join(here, '..', 'dist');
const published = path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

rmSync(dist, { recursive: true, force: true });
mkdirSync(path.join(dist, 'assets'), { recursive: true });

let page = readFileSync(path.join(here, 'src', 'index.html'), 'utf8');
for (const file of [
  path.join(published, 'swagger-ui-bundle.js'),
  path.join(published, 'swagger-ui.css'),
  path.join(here, 'src', 'accessible.js'),
  path.join(here, 'src', 'page.js'),
  path.join(here, 'src', 'page.css'),
  path.join(here, 'src', 'icon.svg'),
]) {
  // Source maps are not served, so nothing points at them.
  const content = readFileSync(file, 'utf8').replace(/\n?\/[/*]# sourceMappingURL=\S+(\s*\*\/)?\s*$/, '\n');
  const { name, ext, base } = path.parse(file);
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 8);
  const served = `${name}-${hash}${ext}`;
  writeFileSync(path.join(dist, 'assets', `${served}.gz`), gzipSync(content, { level: 9 }));
  page = page.replaceAll(`assets/${base}"`, `assets/${served}"`);
}
writeFileSync(path.join(dist, 'index.html'), page);
writeFileSync(
  path.join(dist, 'licenses.md'),
  ['NOTICE', 'LICENSE', 'swagger-ui-bundle.js.LICENSE.txt'].map((file) => readFileSync(path.join(published, file), 'utf8')).join('\n\n'),
);
