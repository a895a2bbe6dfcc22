import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const outDir = join(import.meta.dirname, 'dist')

/** The console as static files for the API process; `npx vite console` serves it beside a running API. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), compressed()],
  build: {
    outDir,
    emptyOutDir: true,
    target: 'es2023',
    // The content security policy has no `data:` for scripts or styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: { proxy: { '/api': { target: 'http://127.0.0.1:8080' } } },
})

/** Compressed once here, so that no request waits for it. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    async closeBundle() {
      const names = await readdir(join(outDir, 'assets'))
      for (const name of names.filter((one) => /\.(js|css)$/.test(one))) {
        const path = join(outDir, 'assets', name)
        const bytes = await readFile(path)
        if (bytes.length < 1_000) continue
        const params = { [constants.BROTLI_PARAM_QUALITY]: 10 }
        await writeFile(`${path}.br`, brotliCompressSync(bytes, { params }))
        await writeFile(`${path}.gz`, gzipSync(bytes, { level: 9 }))
      }
    },
  }
}
