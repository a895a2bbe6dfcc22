import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { createLeash } from '../../engines/leash.ts'
import { watchPart, type Part } from '../../engines/watch-part.ts'

const cleanups: Array<() => unknown> = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

/** Says that it is spare and waits for a line, then says that it has begun. Ends with its supervisor. */
const program = `
const begin = () => console.log('begun', process.pid)
const timer = setInterval(() => undefined, 1_000)
if (process.argv.at(-1) !== '--spare') begin()
else {
  console.log('spare', process.pid)
  require('node:fs').writeSync(3, 'prepared')
  process.stdin.once('data', begin)
}
`

type Watched = { part: Part; dataDir: string; pidsOf: (what: 'begun' | 'spare') => number[] }

async function watch(script = program): Promise<Watched> {
  const dataDir = mkdtempSync(join(tmpdir(), 'cc-part-'))
  cleanups.push(() => rmSync(dataDir, { recursive: true, force: true }))
  const file = join(dataDir, 'part.cjs')
  writeFileSync(file, script)
  const leash = createLeash()
  cleanups.push(() => leash.close())
  const lines: string[] = []
  const pidsOf = (what: string) =>
    lines.flatMap((line) => (line.startsWith(`${what} `) ? [Number(line.split(' ')[1])] : []))
  let part: Part | undefined
  const isUp = () => pidsOf('begun').length > (part?.restarts() ?? 0)
  part = await watchPart({
    name: 'part',
    program: process.execPath,
    arguments: [file],
    env: {},
    spare: true,
    dataDir,
    leash,
    say: () => undefined,
    onLine: (line) => void lines.push(line),
    probe: async () => {
      if (!isUp()) throw new Error('not yet')
    },
    readyTimeoutMs: 20_000,
    stopSignal: 'SIGTERM',
    stopTimeoutMs: 5_000,
  })
  const made = part
  cleanups.push(async () => made.stop())
  return { part, dataDir, pidsOf }
}

test('the spare process takes the place of the one that was killed, and another is prepared', async () => {
  const { part, pidsOf } = await watch()
  for (let turn = 1; turn <= 3; turn += 1) {
    await expect.poll(() => pidsOf('spare').length, { timeout: 10_000 }).toBe(turn)
    const spare = pidsOf('spare').at(-1)
    expect(part.pid()).not.toBe(spare)
    process.kill(part.pid() ?? 0, 'SIGKILL')
    await expect.poll(() => pidsOf('begun').at(-1), { timeout: 10_000 }).toBe(spare)
    expect(part.pid()).toBe(spare)
    expect(part.restarts()).toBe(turn)
  }
})

test('a spare process that was killed stops nothing, and the part starts again without one', async () => {
  const { part, pidsOf } = await watch()
  await expect.poll(() => pidsOf('spare').length, { timeout: 10_000 }).toBe(1)
  const first = part.pid()
  process.kill(pidsOf('spare')[0] ?? 0, 'SIGKILL')
  await expect.poll(() => isAlive(pidsOf('spare')[0]), { timeout: 10_000 }).toBe(false)
  expect(part.pid()).toBe(first)
  process.kill(first ?? 0, 'SIGKILL')
  await expect.poll(() => pidsOf('begun').length, { timeout: 10_000 }).toBe(2)
  expect(pidsOf('spare')).not.toContain(part.pid())
})

test('a stop ends both', async () => {
  const { part, dataDir, pidsOf } = await watch()
  await expect.poll(() => pidsOf('spare').length, { timeout: 10_000 }).toBe(1)
  const pids = [part.pid(), pidsOf('spare')[0]]
  expect(readdirSync(join(dataDir, 'run'))).toHaveLength(2)
  await part.stop()
  expect(pids.map(isAlive)).toEqual([false, false])
  expect(readdirSync(join(dataDir, 'run'))).toEqual([])
})

test('a spare process that cannot start leaves the part as it is', async () => {
  const { part, pidsOf } = await watch(
    `if (process.argv.at(-1) === '--spare') process.exit(3)\n${program}`,
  )
  const first = part.pid()
  process.kill(first ?? 0, 'SIGKILL')
  await expect.poll(() => pidsOf('begun').length, { timeout: 10_000 }).toBe(2)
  expect(part.pid()).not.toBe(first)
})

test('a part that dies again and again is started after longer and longer pauses, also with a spare process', async () => {
  const { part } = await watch(`${program}\nconst dies = () => setTimeout(() => process.exit(4), 40)
    process.argv.at(-1) === '--spare' ? process.stdin.once('data', dies) : dies()`)
  await new Promise((resolve) => setTimeout(resolve, 3_000))
  expect(part.restarts()).toBeGreaterThan(1)
  expect(part.restarts()).toBeLessThan(9)
})

test('a full disk, where no spare process can be noted, does not end the supervisor', async () => {
  const { part, dataDir, pidsOf } = await watch()
  await expect.poll(() => pidsOf('spare').length, { timeout: 10_000 }).toBe(1)
  // No file can be written below a file.
  rmSync(join(dataDir, 'run'), { recursive: true })
  writeFileSync(join(dataDir, 'run'), '')
  process.kill(part.pid() ?? 0, 'SIGKILL')
  const spare = pidsOf('spare')[0]
  await expect.poll(() => pidsOf('begun').at(-1), { timeout: 10_000 }).toBe(spare)
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(part.pid()).toBe(spare)
  expect(pidsOf('spare')).toHaveLength(1)
})

function isAlive(pid: number | undefined): boolean {
  try {
    return process.kill(pid ?? 0, 0)
  } catch {
    return false
  }
}
