import {
  accessSync,
  constants,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { binaries, type Binary, type BinaryName } from './binaries.ts'
import { buildWithGo, removeGoCaches } from './build-with-go.ts'
import { downloadRelease } from './download-release.ts'
import { inInstallQueue } from './install-queue.ts'
import { runProgram } from './run-program.ts'

export type ResolveOptions = {
  cacheDir?: string | undefined
  say: (line: string) => void
  env?: NodeJS.ProcessEnv
  signal?: AbortSignal | undefined
  /** The known programs. Tests pass their own. */
  catalogue?: readonly Binary[]
}

/**
 * Finds or installs a program. Tries, in order: the operator's variable, PATH, the cache, the official
 * release, a build with Go. Reports the source in one line, or throws one error that lists all failures.
 */
export async function resolveBinary(name: BinaryName, options: ResolveOptions): Promise<string> {
  const catalogue = options.catalogue ?? binaries
  const rank = catalogue.findIndex((binary) => binary.name === name)
  const binary = catalogue[rank]
  if (!binary) throw new Error(`${name} is not a known program`)
  const env = options.env ?? process.env

  const chosen = env[binary.variable]
  if (chosen) {
    if (!isProgram(chosen))
      throw new Error(`${binary.variable}=${chosen} is not a program that can be run`)
    options.say(`${name}: ${chosen} (${binary.variable})`)
    return chosen
  }
  const onPath = await findOnPath(binary, env)
  if (onPath.path) {
    options.say(`${name}: ${onPath.path} (on PATH)`)
    return onPath.path
  }

  const cacheDir = engineCacheDir(options.cacheDir ?? env['CC_CACHE_DIR'])
  const home = join(cacheDir, `${name}-${binary.version}`)
  const cached = join(home, name)
  if (isProgram(cached)) {
    options.say(`${name}: ${cached} (cache)`)
    return cached
  }
  const step = `${rank + 1} of ${catalogue.length}`
  const afterLast = () => removeGoCaches(cacheDir)
  return inInstallQueue({ rank, name: home, cacheDir, say: options.say, afterLast }, async () => {
    // The previous holder of the lock may have installed the program.
    if (!isProgram(cached))
      await install({ binary, home, cacheDir, step, options, tried: onPath.why })
    options.say(`${name}: ${cached} (installed)`)
    return cached
  })
}

/** The folder `engines` of the cache directory. Default: `~/.cache/cloud-control/engines`. */
export function engineCacheDir(cacheDir: string | undefined): string {
  return join(resolve(cacheDir || join(homedir(), '.cache', 'cloud-control')), 'engines')
}

type Installation = {
  binary: Binary
  home: string
  cacheDir: string
  step: string
  options: ResolveOptions
  tried: string
}

/** Installs atomically: into a temporary folder, then renamed. */
async function install({
  binary,
  home,
  cacheDir,
  step,
  options,
  tried,
}: Installation): Promise<void> {
  mkdirSync(cacheDir, { recursive: true })
  const work = mkdtempSync(join(cacheDir, `.${binary.name}-`))
  const target = join(work, binary.name)
  const onExit = () => rmSync(work, { recursive: true, force: true })
  process.once('exit', onExit)
  const faults: string[] = []
  try {
    const sources = [
      async () => downloadRelease(binary, target, options),
      async () => buildWithGo(binary, target, { ...options, cacheDir, step }),
    ]
    for (const source of sources) {
      try {
        await source()
        await runProgram(target, { arguments: binary.versionArguments, timeoutMs: 30_000 })
        rmSync(home, { recursive: true, force: true })
        renameSync(work, home)
        return
      } catch (error) {
        if (options.signal?.aborted) throw error
        faults.push(error instanceof Error ? error.message : String(error))
      }
    }
    throw new Error(
      [
        `${binary.name} ${binary.version} cannot be found or installed:`,
        `  - ${binary.variable} is not set`,
        `  - on PATH: ${tried}`,
        `  - in the cache: ${home} does not exist`,
        ...['official release', 'build with Go'].map((s, at) => `  - ${s}: ${faults[at] ?? ''}`),
        `Put ${binary.programs[0]} on PATH or set ${binary.variable}.`,
      ].join('\n'),
    )
  } finally {
    process.removeListener('exit', onExit)
    rmSync(work, { recursive: true, force: true })
  }
}

async function findOnPath(
  binary: Binary,
  env: NodeJS.ProcessEnv,
): Promise<{ path?: string; why: string }> {
  let why = `no ${binary.programs.join(' or ')}`
  for (const folder of (env['PATH'] ?? '').split(delimiter).filter(Boolean))
    for (const program of binary.programs) {
      const path = join(folder, program)
      if (!isProgram(path)) continue
      try {
        const output = await runProgram(path, {
          arguments: binary.versionArguments,
          timeoutMs: 10_000,
        })
        if (binary.accepts.test(output)) return { path, why }
        why = `${path} has a version that does not work with ${binary.version}`
      } catch {
        why = `${path} does not run`
      }
    }
  return { why }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

export type Resolver = (name: BinaryName) => Promise<string>

/** Resolves each program once and shares the result between callers. */
export function createResolver(options: ResolveOptions): Resolver {
  const asked = new Map<BinaryName, Promise<string>>()
  return (name) => {
    const found = asked.get(name) ?? resolveBinary(name, options)
    // Callers that await it get the error. Before that, an unhandled rejection would end the process.
    found.catch(() => undefined)
    asked.set(name, found)
    return found
  }
}
