import { readFileSync } from 'node:fs'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const packageFile = join(import.meta.dirname, '../package.json')
// The file has a version.
const { version } = JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string }
const outDir = join(import.meta.dirname, 'dist')

/** The console as static files for the API process; `npx vite console` serves it beside a running API. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), compileEarly(), inlineStyles(), compressed()],
  define: { consoleVersion: JSON.stringify(version) },
  build: {
    outDir,
    emptyOutDir: true,
    target: 'es2023',
    // The content security policy has no `data:` for scripts or styles.
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // The first page comes in three files and not in twenty, each of which is a trip of its own.
        codeSplitting: {
          groups: [
            { name: 'vendor', test: /node_modules/, tags: ['$initial'] },
            { name: 'first', test: /console[\\/]src[\\/](?!main)/, tags: ['$initial'] },
          ],
        },
      },
    },
  },
  server: { proxy: { '/api': { target: 'http://127.0.0.1:8080' } } },
})

/**
 * Asks the browser to compile each function of the scripts that the first pages run while they are loaded,
 * on another thread. Else V8 compiles a function when it is first called, on the thread that answers
 * clicks (docs/decisions/0214-scripts-are-compiled-while-they-load.md).
 */
function compileEarly(): Plugin {
  return {
    name: 'compile-early',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const chunks = Object.values(bundle).filter((one) => one.type === 'chunk')
        const entry = chunks.find(({ isEntry }) => isEntry)
        for (const chunk of chunks)
          if (chunk === entry || entry?.imports.includes(chunk.fileName))
            chunk.code = `//# allFunctionsCalledOnLoad\n${chunk.code}`
      },
    },
  }
}

/**
 * The styles into the page: five kilobytes that fit into its first packets, instead of a question
 * for which the first paint waits. The API allows exactly these by their hash.
 */
function inlineStyles(): Plugin {
  return {
    name: 'inline-styles',
    apply: 'build',
    async closeBundle() {
      const page = join(outDir, 'index.html')
      const html = await readFile(page, 'utf8')
      const link = /<link rel="stylesheet"[^>]*href="([^"]+)"[^>]*>/.exec(html)
      if (!link?.[1]) throw new Error('index.html has no style sheet')
      const file = join(outDir, link[1])
      const css = (await readFile(file, 'utf8')).trim()
      // As a function: `$` in the styles is no pattern.
      await writeFile(
        page,
        html.replace(link[0], () => `<style>${css}</style>`),
      )
      await rm(file)
    },
  }
}

/** Compressed once here, so that no request waits for it. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    closeBundle: {
      order: 'post',
      sequential: true,
      async handler() {
        const names = await readdir(join(outDir, 'assets'))
        const scripts = names
          .filter((one) => one.endsWith('.js'))
          .map((name) => join('assets', name))
        for (const name of ['index.html', 'favicon.svg', ...scripts]) {
          const path = join(outDir, name)
          const bytes = await readFile(path)
          if (bytes.length < 1_000) continue
          const params = { [constants.BROTLI_PARAM_QUALITY]: 11 }
          await writeFile(`${path}.br`, brotliCompressSync(bytes, { params }))
          await writeFile(`${path}.gz`, gzipSync(bytes, { level: 9 }))
        }
      },
    },
  }
}
