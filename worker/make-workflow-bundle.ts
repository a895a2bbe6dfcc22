import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { WorkflowBundleOption } from '@temporalio/worker'

const root = join(import.meta.dirname, '..')
/** What the code of the bundle comes from: a workflow imports nothing else of this repository. */
const sources = ['workflows', 'domain']
const others = ['package-lock.json', 'worker/bundle-workflows.ts']

/**
 * The bundle of the workflows. It is kept in `folder` under a digest of its sources, since the bundler
 * takes seconds of both processors at each start: also at one after a crash, when runs of all
 * organizations wait for the worker. A folder that cannot be written to costs that time and no more.
 */
export async function makeWorkflowBundle(folder: string): Promise<WorkflowBundleOption> {
  const name = `workflows-${await digestOfSources()}.js`
  const kept = await readFile(join(folder, name), 'utf8').catch(() => undefined)
  const code = kept ?? (await bundle())
  if (kept === undefined) await keep(folder, name, code).catch(() => undefined)
  // The code contains its source map. `sourceMap` has the placeholder of the SDK's bundler.
  return { code, sourceMap: 'deprecated: this is no longer in use\n' }
}

/**
 * Bundles in a separate process. In the worker itself the bundler would leave 100 MB of memory in use,
 * and each fork of the worker would copy its page table.
 */
async function bundle(): Promise<string> {
  const script = join(import.meta.dirname, 'print-workflow-bundle.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [script], {
    maxBuffer: 64 * 1024 * 1024,
  })
  return stdout
}

/** Whole or not at all: of two workers that write, each renames its own file. Older bundles go. */
async function keep(folder: string, name: string, code: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const part = join(folder, `${name}.${process.pid}`)
  await writeFile(part, code, { mode: 0o600 })
  await rename(part, join(folder, name))
  for (const other of await readdir(folder))
    if (/^workflows-[0-9a-f]{64}\.js$/.test(other) && other !== name)
      await rm(join(folder, other), { force: true })
}

/** SHA-256 of the names and contents of all sources, and of Node's version. */
async function digestOfSources(): Promise<string> {
  const found = await Promise.all(
    sources.map(async (source) => {
      const files = await readdir(join(root, source), { recursive: true })
      return files.filter((file) => file.endsWith('.ts')).map((file) => join(source, file))
    }),
  )
  const hash = createHash('sha256').update(process.version)
  for (const file of [...found.flat().toSorted(), ...others]) {
    const text = await readFile(join(root, file))
    hash.update(`\n${file} ${text.length}\n`).update(text)
  }
  return hash.digest('hex')
}
