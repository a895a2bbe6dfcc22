import { spawn } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

export type BuildOptions = { root: string; say: (line: string) => void; signal: AbortSignal }

/**
 * Builds the console if it was never built or if its sources are newer. A failed build does not stop
 * the service, since the API works without the console.
 */
export async function buildConsole({ root, say, signal }: BuildOptions): Promise<void> {
  const built = join(root, 'console/dist/index.html')
  const sources = ['src', 'public', 'index.html', 'vite.config.ts'].map((name) =>
    join(root, 'console', name),
  )
  const newest = Math.max(...[...sources, join(root, 'package-lock.json')].map(newestIn))
  if (existsSync(built) && statSync(built).mtimeMs >= newest) return
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  if (!existsSync(vite)) {
    if (!existsSync(built)) say('console: not built, because vite is not installed (run npm ci)')
    return
  }
  const startedAt = Date.now()
  const fault = await runBuild([vite, 'build', 'console', '--logLevel', 'warn'], root, signal)
  if (signal.aborted) return
  if (fault === undefined)
    say(`console: built in ${((Date.now() - startedAt) / 1_000).toFixed(1)} s`)
  else say(`console: not built, the API runs without it: ${fault}`)
}

/** Runs a build with Node. Says why it failed. */
export async function runBuild(
  args: readonly string[],
  root: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    let output = ''
    const child = spawn(process.execPath, [...args], {
      cwd: root,
      // Independent of the service's own NODE_ENV: otherwise the build has React's development checks.
      env: { ...process.env, NODE_ENV: 'production' },
      signal,
      timeout: 180_000,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const collect = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-4_000)
    }
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    child.on('error', (error) => resolve(error.message))
    child.on('close', (code) => resolve(code === 0 ? undefined : lastLine(output)))
  })
}

const lastLine = (output: string) => output.trim().split('\n').at(-1) || 'no output'

export function newestIn(path: string): number {
  if (!existsSync(path)) return 0
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.mtimeMs
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newestIn(join(path, name))))
}
