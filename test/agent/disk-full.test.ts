import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { agentHost, type AgentHost } from '../harness/agents/agent-host.ts'

const mayMount = process.getuid?.() === 0 && canMount()

describe.skipIf(!mayMount)('a small disk', () => {
  let host: AgentHost
  beforeEach(async () => {
    host = await agentHost()
    mkdirSync(host.dir)
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', host.dir])
  })
  afterEach(async () => {
    expect(host.server.state.faults).toEqual([])
    await host.server.close()
    execFileSync('umount', ['-l', host.dir])
    await host.close()
  })

  const free = () => {
    const { bavail, bsize } = statfsSync(host.dir)
    return bavail * bsize
  }

  test('a release that does not fit is not fetched; one that does not fit unpacked is removed; what ran goes on', async () => {
    host.start()
    const first = host.give('deploy', host.release('first', { health: 'true' }), {
      hooks: ['health'],
    })
    expect(await host.resultOf(first)).toMatchObject({ ok: true })
    const before = free()

    const large = host.artifact({ data: randomBytes(22_000_000).toString('latin1') })
    const tooLarge = host.give('deploy', large, { hooks: [] })
    expect(await host.resultOf(tooLarge)).toMatchObject({
      ok: false,
      message: expect.stringMatching(/^disk_full/),
    })
    expect(tooLarge.result?.['refused']).toBeUndefined()
    expect(host.server.state.ranges).toHaveLength(1)

    const zeros = host.artifact({ zeros: '\0'.repeat(40_000_000) })
    const bomb = host.give('deploy', zeros, { hooks: [] })
    expect(await host.resultOf(bomb)).toMatchObject({
      ok: false,
      message: expect.stringMatching(/^disk_full/),
    })
    // A twentieth was never used, and what was unpacked is gone.
    expect(free()).toBeGreaterThan(before - 300_000)
    expect(readdirSync(join(host.dir, 'releases'))).toHaveLength(1)
    expect(host.page()).toBe('first')
  })

  test('a hook that fills the disk: the result and the lines come all the same', async () => {
    host.start()
    const built = host.release('greedy', {
      activate: 'head -c 100000000 /dev/zero > filler; echo said; exit 5',
    })
    const given = host.give('deploy', built, { hooks: ['activate'] })
    const result = await host.resultOf(given)
    expect(result).toMatchObject({ ok: false })
    rmSync(join(host.dir, 'releases'), { recursive: true })
    mkdirSync(join(host.dir, 'releases'))
    const next = host.give('deploy', host.release('next', { health: 'true' }), {
      hooks: ['health'],
    })
    expect(await host.resultOf(next)).toMatchObject({ ok: true })
  })

  test('a disk that is full from the start: the service is told', async () => {
    const agent = host.start()
    await host.resultOf(host.give('verify', host.release('x', {}), { hooks: [] }))
    writeFileSync(join(host.dir, 'filler'), Buffer.alloc(free() - 100_000))
    const given = host.give('deploy', host.release('y', { health: 'true' }), { hooks: ['health'] })
    expect(await host.resultOf(given)).toMatchObject({
      ok: false,
      message: expect.stringMatching(/^disk_full/),
    })
    expect(agent.said()).not.toContain('work on a deployment failed')
  })
})

function canMount(): boolean {
  try {
    execFileSync('unshare', ['--mount', 'sh', '-c', 'mount -t tmpfs -o size=1m tmpfs /mnt'], {
      stdio: 'ignore',
    })
    return true
  } catch {
    return false
  }
}
