import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'vite'

/**
 * `node scripts/build-service.ts <folder>`: the API and the worker as one file each, with the packages outside of it
 * (docs/decisions/0227-parts-from-one-file.md). Paths that the sources know by their own place are those of this
 * working copy.
 */
const root = join(import.meta.dirname, '..')
const [folder = ''] = process.argv.slice(2)
if (folder === '') throw new Error('build-service.ts needs the folder that it writes to')

await build({
  root,
  configFile: false,
  logLevel: 'warn',
  plugins: [
    {
      name: 'place-of-source',
      enforce: 'pre',
      transform(code, id) {
        if (!code.includes('import.meta.')) return null
        return code
          .replaceAll('import.meta.dirname', JSON.stringify(dirname(id)))
          .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
      },
    },
  ],
  build: {
    ssr: true,
    target: 'node24',
    minify: false,
    emptyOutDir: true,
    outDir: resolve(folder),
    rolldownOptions: {
      input: { api: join(root, 'api/server.ts'), worker: join(root, 'worker/main.ts') },
      output: { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
    },
  },
})
