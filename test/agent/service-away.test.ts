import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { agentHost, type AgentHost } from '../harness/agents/agent-host.ts'
import { eventually } from '../harness/eventually.ts'

describe('a service that is away', () => {
  let host: AgentHost
  afterEach(async () => {
    expect(host.server.state.faults).toEqual([])
    await host.close()
  })

  test('a download that is cut goes on at the byte where it stopped', async () => {
    host = await agentHost()
    const built = host.artifact({ 'big.bin': randomBytes(6_000_000).toString('base64') })
    host.server.state.cuts.push(1_000_000, 2_000_000, 0)
    const given = host.give('deploy', built, { hooks: [] })
    host.start()
    expect(await host.resultOf(given)).toMatchObject({ ok: true })
    const [first, second, third] = host.server.state.ranges
    expect([first, second, third]).toEqual([undefined, 'bytes=1000000-', 'bytes=3000000-'])
    expect(host.server.state.ranges).toHaveLength(4)
  })

  test('an agent that is killed in a download keeps what it has', async () => {
    host = await agentHost()
    const built = host.artifact({ 'big.bin': randomBytes(3_000_000).toString('base64') })
    host.server.state.cuts.push(1_500_000, 0, 0, 0, 0, 0, 0)
    const given = host.give('deploy', built, { hooks: [] })
    const agent = host.start()
    await eventually(async () => host.server.state.ranges.length === 1)
    await sleep(250)
    await agent.kill()
    host.server.state.cuts.length = 0
    host.start()
    expect(await host.resultOf(given)).toMatchObject({ ok: true })
    expect(host.server.state.ranges.at(-1)).toBe('bytes=1500000-')
  })

  test('away for longer than the lease while a hook runs: the hook ends, the next waits, and nothing runs twice', async () => {
    host = await agentHost({ leaseMs: 3_000 })
    const built = host.release('new', { install: 'sleep 4', activate: 'true', health: 'true' })
    const given = host.give('deploy', built)
    host.start()
    await eventually(async () => host.trace().some((line) => line.startsWith('begin install')))
    await host.server.goAway()
    await sleep(6_000)
    // The lease is over, so the hook that ran has ended and no other one has begun.
    expect(host.trace().filter((line) => line.startsWith('begin'))).toHaveLength(1)
    expect(host.trace()).toContain('end install')
    await host.server.comeBack()
    expect(await host.resultOf(given)).toMatchObject({ ok: true })
    expect(given.claims).toBe(2)
    expect(
      host
        .trace()
        .filter((line) => line.startsWith('begin'))
        .map((line) => line.split(' ')[1]),
    ).toEqual(['install', 'activate', 'health'])
    expect(given.lines.filter(({ line }) => line === 'install says hello')).toHaveLength(1)
  })

  test('409 lease_lost: what runs is ended, nothing more is changed, and the result is not this one’s to give', async () => {
    host = await agentHost()
    const built = host.release('new', {
      install: 'sleep 30; echo late >> "$TRACE"',
      activate: 'true',
    })
    const given = host.give('deploy', built, { hooks: ['install', 'activate'] })
    host.start()
    await eventually(async () => host.trace().some((line) => line.startsWith('begin install')))
    // Another process with this token took it, and has ended it.
    given.fence += 1
    given.result = { ok: true }
    await eventually(async () => host.server.state.claims.length > 1, { looks: 300 })
    expect(host.trace()).toEqual([expect.stringContaining('begin install')])
    expect(given.result).toEqual({ ok: true })
    expect(host.current).toThrow()
  })

  test('a result is repeated until the service has it', async () => {
    host = await agentHost({ leaseMs: 20_000 })
    const given = host.give('deploy', host.release('new', { activate: 'sleep 1' }), {
      hooks: ['activate'],
    })
    host.start()
    await eventually(async () => host.trace().some((line) => line.startsWith('begin activate')))
    await host.server.goAway()
    await sleep(2_500)
    expect(host.page()).toBe('new')
    await host.server.comeBack()
    expect(await host.resultOf(given)).toMatchObject({ ok: true })
    expect(given.claims).toBe(1)
  })

  test('500 and 429: it asks again, later and later', async () => {
    host = await agentHost()
    host.server.state.answer = { status: 503, code: 'unavailable' }
    const agent = host.start()
    await eventually(async () => agent.said().split('the service answered 503').length > 2)
    host.server.state.answer = undefined
    const given = host.give('deploy', host.release('new', {}), { hooks: [] })
    expect(await host.resultOf(given)).toMatchObject({ ok: true })
  })
})
