import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** The console as static files for the API process; `vite console` serves it beside a running API. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    // The content security policy has no `data:` for scripts or styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: { proxy: { '/api': { target: 'http://127.0.0.1:8080' } } },
})
