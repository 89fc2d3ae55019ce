import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

// The output is committed and embedded in the Go program, so it must come out the same wherever it is built:
// exact versions, hashed names, no source maps, no build time or path in it.
export default defineConfig({
  base: '/graphiql/',
  plugins: [react(), early(['Workbench', 'monaco-editor', 'lite'])],
  resolve: {
    alias: { 'monaco-editor/esm/vs/editor/edcore.main.js': new URL('./src/editor.ts', import.meta.url).pathname },
  },
  build: {
    outDir: '../dist',
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0, // no data: addresses, which the Content-Security-Policy would have to allow
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 4000,
    rolldownOptions: {
      input: ['index.html', 'signed-in.html'],
      onLog(level, log, report) {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') report(level, log); // "use no memo": meant for a compiler not used here
      },
    },
    license: { fileName: 'licenses.md' },
  },
  worker: { format: 'es' },
});

/**
 * Lets the browser fetch the named chunks and what they import while it still reads the page, behind what the sign-in
 * form needs: the user is going to need them all.
 */
function early(names: string[]): Plugin {
  return {
    name: 'early',
    transformIndexHtml(_page, { bundle = {}, path }) {
      if (path !== '/index.html') return [];
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
      const there = new Set(chunks.filter((chunk) => chunk.isEntry && chunk.name === 'index').flatMap((chunk) => [chunk.fileName, ...chunk.imports]));
      const needed = chunks.filter((chunk) => names.includes(chunk.name)).flatMap((chunk) => [...chunk.imports, chunk.fileName]);
      return [...new Set(needed)].filter((file) => !there.has(file)).map((file) => ({
        tag: 'link',
        injectTo: 'head' as const,
        attrs: { rel: 'modulepreload', crossorigin: true, fetchpriority: 'low', href: `/graphiql/${file}` },
      }));
    },
  };
}
