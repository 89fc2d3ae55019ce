import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// The output is committed and embedded in the Go program, so it must come out the same wherever it is built:
// exact versions, hashed names, no source maps, no build time or path in it.
export default defineConfig({
  base: '/graphiql/',
  plugins: [react()],
  build: {
    outDir: '../dist',
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0, // no data: addresses, which the Content-Security-Policy would have to allow
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 4000,
    rolldownOptions: {
      onLog(level, log, report) {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') report(level, log); // "use no memo": meant for a compiler not used here
      },
    },
    license: { fileName: 'licenses.md' },
  },
  worker: { format: 'es' },
});
