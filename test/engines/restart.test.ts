import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { once } from 'node:events'
import { homedir, userInfo } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { freePorts } from '../../engines/free-ports.ts'

const cleanups: Array<() => unknown> = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

const root = join(import.meta.dirname, '../..')

// Its database is then below /var/lib/cloud-control, where work folders are too, and those are removed at a stop.
test.skipIf(userInfo().uid !== 0)(
  'a stop keeps the database of a folder that the user postgres cannot reach',
  { timeout: 240_000 },
  async () => {
    const home = mkdtempSync(join(homedir(), '.cc-restart-'))
    cleanups.push(() => rmSync(home, { recursive: true, force: true }))
    chmodSync(home, 0o700)

    const first = await startAndStop(join(home, '.data'))
    const [, cluster = ''] = /so its data is in (\S+)/.exec(first) ?? []
    cleanups.push(() => rmSync(cluster, { recursive: true, force: true }))
    const second = await startAndStop(join(home, '.data'))

    expect(cluster).not.toBe('')
    expect(passwordIn(first)).toMatch(/^\S+$/)
    // A new database would have another password of its first Owner.
    expect(passwordIn(second)).toBe(undefined)
    expect(second).not.toContain('bringing the database')
  },
)

const passwordIn = (said: string) => /first sign-in: .* password (\S+)/.exec(said)?.[1]

/** Returns what `npm start` prints until it is ready and after SIGINT. */
async function startAndStop(dataDir: string): Promise<string> {
  const { api: port } = await freePorts(['api'])
  const child = spawn(process.execPath, [join(root, 'scripts/start.ts')], {
    cwd: root,
    env: {
      PATH: process.env['PATH'],
      HOME: homedir(),
      CC_DATA_DIR: dataDir,
      CC_PORT: String(port),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  cleanups.push(() => child.kill('SIGKILL'))
  let said = ''
  const isOver = once(child, 'close')
  await new Promise<void>((resolve) => {
    const take = (chunk: Buffer) => {
      said += chunk.toString()
      if (said.includes('logs: ')) resolve()
    }
    child.stdout.on('data', take)
    child.stderr.on('data', take)
    void isOver.then(() => resolve())
  })
  child.kill('SIGINT')
  await isOver
  return said
}
