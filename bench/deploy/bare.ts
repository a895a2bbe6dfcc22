import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** Runs a script of a shell as a user would, and says how long it took, in ms. */
export async function bareMs(script: string, env: Record<string, string> = {}): Promise<number> {
  const since = performance.now()
  const child = spawn('sh', ['-ec', script], {
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`a bare program ended with ${code}: ${script}`)
  return performance.now() - since
}
