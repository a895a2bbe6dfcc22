import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { BadFrame } from '../../../gateways/runner/frames.ts'
import { runnerPool } from '../../../gateways/runner/runner-pool.ts'
import { startRunner, type Runner } from '../../../gateways/runner/start-runner.ts'
import { removeGroupsOfDead } from '../../../gateways/sandbox/cgroup.ts'
import { openCgroups } from '../../../gateways/sandbox/open-cgroups.ts'

const megabyte = 1024 ** 2
const entry = join(import.meta.dirname, 'odd-runner.ts')
const started: Runner[] = []
const start = (what: string, memoryBytes = 256 * megabyte): Runner => {
  const runner = startRunner({ entry, args: [what], memoryBytes })
  started.push(runner)
  return runner
}
afterEach(async () => {
  for (const runner of started.splice(0)) {
    runner.kill()
    await runner.ended
  }
})

const isAlive = (pid: number): boolean => {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
const first = async (runner: Runner) => {
  for await (const frame of runner.channel.frames) return frame
  throw new Error('The channel is closed')
}

test('it has an empty environment, none of the worker’s descriptors, no core dump, and low priority', async () => {
  process.env['CC_KEYRING'] = 'k=must-not-be-inherited'
  const { header } = await first(start('look'))
  expect(header['environ']).toBe('')
  expect(String(header['cmdline'])).not.toContain('must-not')
  expect(header['core']).toBe('0')
  expect(header['nice']).toBe(5)
  const sockets = (header['open'] as string[]).filter((name) => /socket:|\.sock|pipe:/.test(name))
  expect(
    sockets.filter((name) => name.startsWith('3 ')),
    sockets.join(),
  ).toHaveLength(1)
  expect(sockets.filter((name) => name.includes('socket:'))).toHaveLength(1)
})

test('headers and bytes arrive unchanged', async () => {
  const runner = start('echo')
  const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, n) => n % 256))
  await runner.channel.send({ kind: 'x', n: 1 }, bytes)
  const { header, body } = await first(runner)
  expect(header).toEqual({ kind: 'x', n: 1 })
  expect(body.equals(bytes)).toBe(true)
})

test('memory_exceeded: a heap that grows', async () => {
  expect(await start('grow-heap', 128 * megabyte).ended).toMatchObject({ how: 'memory_exceeded' })
}, 30_000)

test('memory_exceeded: growing buffers outside the heap', async () => {
  expect(await start('grow-buffers').ended).toMatchObject({ how: 'memory_exceeded' })
}, 30_000)

test('a frame above the limit is an error of the reader, and is not kept in memory', async () => {
  await expect(first(start('oversize'))).rejects.toThrow(BadFrame)
})

test('a runner that sends faster than it is read is slowed down: the reader holds a few frames', async () => {
  const before = process.memoryUsage().rss
  const runner = start('flood')
  let seen = 0
  for await (const _ of runner.channel.frames) {
    await sleep(20)
    if ((seen += 1) === 50) break
  }
  // Each frame is read in 20 ms. Without backpressure, gigabytes would be sent in this time.
  expect(process.memoryUsage().rss - before).toBeLessThan(100 * megabyte)
})

test('it ends when its channel closes', async () => {
  const runner = start('echo')
  await runner.channel.send({ kind: 'up' })
  await first(runner)
  runner.channel.close()
  expect(await runner.ended).toMatchObject({ how: 'ended', exitCode: 0 })
})

test('kill -9 of the worker leaves no runner', async () => {
  const worker = spawn(process.execPath, [join(import.meta.dirname, 'worker-to-kill.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  worker.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()))
  await expect.poll(() => text, { timeout: 20_000 }).toMatch(/runner \d+/)
  const pid = Number(/runner (\d+)/.exec(text)?.[1])
  expect(isAlive(pid)).toBe(true)
  worker.kill('SIGKILL')
  await once(worker, 'exit')
  await expect.poll(() => isAlive(pid), { timeout: 2_000 }).toBe(false)
}, 30_000)

const run = { organizationId: 1, workspaceRunId: 1 }
let runs = 1
const nextRun = () => ({ ...run, workspaceRunId: (runs += 1) })

test('a kept runner is given only to its own run, once, and not when its memory has grown', async () => {
  const pool = runnerPool({ entry, args: ['echo'], memoryBytes: 512 * megabyte })
  const one = pool.take(run)
  await pool.keep(one, run)
  expect(pool.take({ ...run, organizationId: 2 }).pid).not.toBe(one.pid)
  expect(pool.take(nextRun()).pid).not.toBe(one.pid)
  expect(pool.take(run).pid).toBe(one.pid)
  expect(pool.take(run).pid).not.toBe(one.pid)

  await pool.keep({ ...one, memory: async () => 300 * megabyte }, run)
  expect((await one.ended).how).toBe('killed')
  await pool.close()
})

test('a kept runner ends when its run does not use it in time, and the oldest ends when there are too many', async () => {
  const pool = runnerPool({ entry, args: ['echo'], memoryBytes: 256 * megabyte })
  const kept: Runner[] = []
  for (let at = 0; at < 5; at += 1) {
    const next = nextRun()
    const runner = pool.take(next)
    kept.push(runner)
    // Waits until the runner has started, because its memory cannot be read before.
    await runner.channel.send({ kind: 'up' })
    await runner.channel.frames[Symbol.asyncIterator]().next()
    await pool.keep(runner, next)
  }
  expect((await kept[0]?.ended)?.how).toBe('killed')
  expect(isAlive(kept[4]?.pid ?? 0)).toBe(true)
  expect((await kept[4]?.ended)?.how).toBe('killed')
  await pool.close()
}, 30_000)

test('one spare runner is kept: it is used next, and replaced once the used one has ended', async () => {
  const pool = runnerPool({ entry, args: ['echo'], memoryBytes: 256 * megabyte })
  const one = pool.take(nextRun())
  const two = pool.take(nextRun())
  expect(two.pid).not.toBe(one.pid)
  one.kill()
  await one.ended
  const three = pool.take(nextRun())
  expect([one.pid, two.pid]).not.toContain(three.pid)
  await pool.close()
  for (const { pid } of [one, two, three]) expect(isAlive(pid)).toBe(false)
})

describe('the cgroup of a runner', () => {
  // A plain folder replaces the kernel's, with the same files.
  const runs = mkdtempSync(join(tmpdir(), 'cgroups-'))
  afterAll(() => rmSync(runs, { recursive: true, force: true }))
  const startIn = (cgroups: string) => {
    const limits = { memoryBytes: 256 * megabyte, filesBytes: 64 * megabyte }
    const runner = startRunner({ entry, args: ['echo'], ...limits, cgroups })
    started.push(runner)
    return runner
  }
  const onlyGroup = () => {
    const names = readdirSync(runs).filter((name) => name.startsWith(`runner-${process.pid}-`))
    expect(names).toHaveLength(1)
    return join(runs, names[0] ?? '')
  }

  test('memory_exceeded: a runner is in its cgroup before it gets input, and the kernel reports the kill', async () => {
    const runner = startIn(runs)
    const group = onlyGroup()
    const said = (file: string) => readFileSync(join(group, file), 'utf8')
    expect(said('cgroup.procs')).toBe(String(runner.pid))
    expect(said('memory.max')).toBe(String(320 * megabyte))
    expect([said('pids.max'), said('memory.oom.group')]).toEqual(['128', '1'])
    writeFileSync(join(group, 'memory.events'), 'oom 1\noom_kill 12\n')
    process.kill(runner.pid, 'SIGKILL')
    expect(await runner.ended).toMatchObject({ how: 'memory_exceeded' })
    rmSync(group, { recursive: true })
  })

  test('a cgroup that cannot be created starts no runner, and the pool reports the error', async () => {
    const gone = join(runs, 'gone')
    expect(() => startIn(gone)).toThrow('ENOENT')
    const pool = runnerPool({ entry, memoryBytes: 256 * megabyte, cgroups: gone })
    expect(() => pool.take(nextRun())).toThrow('ENOENT')
    await pool.close()
  })

  test('cgroups of dead workers are removed, and those of live workers are kept', async () => {
    const dead = spawnSync('true').pid
    for (const name of [`runner-${dead}-a`, `runner-${process.pid}-b`, `slot-${dead}-c`])
      mkdirSync(join(runs, name))
    await removeGroupsOfDead(runs, 'runner')
    expect(readdirSync(runs).toSorted()).toEqual([`runner-${process.pid}-b`, `slot-${dead}-c`])
  })

  const real = openCgroups(join(tmpdir(), 'cloud-control-start-runner'))
  test.skipIf(!('runs' in real))(
    'memory_exceeded: by the kernel, where there is cgroup v2',
    async () => {
      const cgroups = 'runs' in real ? real.runs : ''
      const limits = { memoryBytes: 128 * megabyte, cgroups }
      const runner = startRunner({ entry, args: ['grow-buffers'], ...limits })
      started.push(runner)
      expect(await runner.ended).toMatchObject({ how: 'memory_exceeded' })
      const left = () =>
        readdirSync(cgroups).filter((name) => name.startsWith(`runner-${process.pid}-`))
      await expect.poll(left).toEqual([])
    },
  )
})
