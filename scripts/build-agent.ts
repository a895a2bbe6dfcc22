import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'vite'

/**
 * `npm run build:agent [folder]`: the agent as one file, which needs Node and nothing else. CommonJS, because an ES
 * module that loads node:http has Node load its whole HTTP client too, which takes 9 MB of memory.
 */
const root = join(import.meta.dirname, '..')
const [folder = join(root, 'dist/agent')] = process.argv.slice(2)
const outDir = resolve(folder)
const name = 'cloud-control-agent.cjs'
// Of this repository's own package.json.
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  version: string
}

await build({
  root,
  configFile: false,
  logLevel: 'warn',
  define: { __AGENT_VERSION__: JSON.stringify(version) },
  ssr: { noExternal: true },
  build: {
    ssr: join(root, 'agent/main.ts'),
    target: 'node22',
    minify: false,
    emptyOutDir: false,
    outDir,
    rolldownOptions: { output: { format: 'cjs', entryFileNames: name } },
  },
})
const file = join(outDir, name)
writeFileSync(file, `#!/usr/bin/env node\n${readFileSync(file, 'utf8')}`)
chmodSync(file, 0o755)
process.stdout.write(`${file}\n`)
