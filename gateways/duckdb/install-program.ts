import { createHash, randomBytes } from 'node:crypto'
import { chmod, copyFile, cp, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Copies the reader's program with DuckDB to where steps can read it, and nothing else of the service: its own folder
 * may be closed to the uids of steps, and has the keyring below it on a developer's machine. Made atomically, once for
 * each version. Returns the module to run.
 */
export async function installReader(workDir: string): Promise<{ folder: string; entry: string }> {
  const files = [
    ...(await readdir(join(here, 'program'))).map((name) => join(here, 'program', name)),
    fileURLToPath(new URL('../../domain/finops/focus/charge-columns.ts', import.meta.url)),
  ].filter((path) => !path.endsWith('.test.ts'))
  const packages = duckdbPackages()
  const folder = join(workDir, `reader-${await versionOf([...files, ...packages])}`)
  const entry = join(folder, relative(home, join(here, 'program', 'main.ts')))
  if (await stat(folder).catch(() => undefined)) return { folder, entry }

  const unfinished = join(workDir, `unfinished-${randomBytes(6).toString('hex')}`)
  try {
    for (const file of files) {
      const target = join(unfinished, relative(home, file))
      await mkdir(dirname(target), { recursive: true })
      await copyFile(file, target)
    }
    for (const path of packages)
      await cp(path, join(unfinished, 'node_modules', nameOf(path)), { recursive: true })
    // Node reads this to know that the files are modules.
    await copyFile(join(home, 'package.json'), join(unfinished, 'package.json'))
    await openToAll(unfinished)
    await rename(unfinished, folder).catch(async (error: NodeJS.ErrnoException) => {
      // Another worker was first.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
  return { folder, entry }
}

const here = fileURLToPath(new URL('.', import.meta.url))
const home = fileURLToPath(new URL('../..', import.meta.url))

const nameOf = (path: string): string => path.slice(path.lastIndexOf('node_modules/') + 13)

/** DuckDB's packages for this machine, as they were installed. */
function duckdbPackages(): string[] {
  const folderOf = (name: string, from: string) => {
    const entry = createRequire(from).resolve(name)
    const end = entry.lastIndexOf(`node_modules/${name}`) + `node_modules/${name}`.length
    return entry.slice(0, end)
  }
  const api = folderOf('@duckdb/node-api', import.meta.url)
  const bindings = folderOf('@duckdb/node-bindings', `${api}/package.json`)
  const scope = dirname(bindings)
  // One for each platform is declared, and the ones that fit are installed.
  const native = ['', '-musl']
    .map((libc) => `${scope}/node-bindings-${process.platform}-${process.arch}${libc}`)
    .filter((path) => isThere(path))
  return [api, bindings, ...native]
}

function isThere(path: string): boolean {
  try {
    createRequire(import.meta.url).resolve(`${path}/package.json`)
    return true
  } catch {
    return false
  }
}

/** Of names, sizes and times: the packages are 70 MB. */
async function versionOf(paths: readonly string[]): Promise<string> {
  const hash = createHash('sha256')
  for (const path of paths) {
    const { size, mtimeMs } = await stat(path)
    hash.update(`${path}\0${size}\0${mtimeMs}\0`)
  }
  return hash.digest('hex').slice(0, 16)
}

async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755)
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    await chmod(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644)
}
