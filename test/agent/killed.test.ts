import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { agentHost, type AgentHost } from '../harness/agents/agent-host.ts'

const preload = join(import.meta.dirname, '../harness/agents/kill-at-flush.cjs')

describe('an agent that is killed', () => {
  let host: AgentHost
  beforeEach(async () => {
    host = await agentHost({ againMs: 1_000 })
  })
  afterEach(async () => {
    expect(host.server.state.faults).toEqual([])
    await host.close()
  })

  const count = (text: string) => host.trace().filter((line) => line.startsWith(text)).length

  test('at each step of its journal: no finished hook runs again, and the host has one whole release', async () => {
    const first = host.give('deploy', host.release('first', { health: 'true' }), {
      hooks: ['health'],
    })
    const agent = host.start()
    expect((await host.resultOf(first))['ok']).toBe(true)
    await agent.stop()

    let kills = 0
    for (let at = 1; ; at += 1) {
      const before = { starts: count('begin activate'), traces: host.trace().length }
      const page = `release ${at}`
      const given = host.give(
        'deploy',
        host.release(page, { install: 'true', activate: 'true', health: 'true' }),
      )
      const victim = host.start({ KILL_AT: String(at), NODE_OPTIONS: `--require=${preload}` })
      const isKilled = await Promise.race([
        victim.exited.then(() => true),
        host.resultOf(given).then(() => false),
      ])
      const next = isKilled ? host.start() : victim
      const result = await host.resultOf(given)
      await next.stop()
      if (isKilled) kills += 1

      const starts = count('begin activate') - before.starts
      expect(starts, `kill ${at}: activate ran ${starts} times`).toBeLessThanOrEqual(1)
      if (result['ok'] === true) expect(host.page()).toBe(page)
      else {
        expect(result).toMatchObject({
          hook: 'activate',
          message: expect.stringContaining('interrupted'),
        })
        expect(host.page()).not.toBe(page)
      }
      // Every line once, in order: each hook says hello as often as it ran.
      const hellos = given.lines.filter(({ line }) => line.endsWith('says hello')).length
      const begun = host
        .trace()
        .slice(before.traces)
        .filter((line) => line.startsWith('begin')).length
      expect(hellos, `kill ${at}: lines`).toBe(begun)
      if (!isKilled) break
    }
    // Fewer would mean that the steps are not flushed.
    expect(kills).toBeGreaterThan(12)
    expect(readdirSync(join(host.dir, 'downloads'))).toEqual([])
    expect(readdirSync(join(host.dir, 'deployments'))).toHaveLength(1)
  })

  for (const name of ['install', 'health', 'activate'] as const)
    test(`inside ${name}: its process does not go on, and ${name === 'activate' ? 'it counts as failed' : 'it is run again'}`, async () => {
      // The hook kills its agent the first time, and would write on.
      const deadly = `[ -e ${host.folder}/once ] || { touch ${host.folder}/once; kill -9 $PPID; sleep 3; echo "late ${name}" >> "$TRACE"; }`
      const hooks = { install: 'true', activate: 'true', health: 'true', [name]: deadly }
      const given = host.give('deploy', host.release('new', hooks))
      await host.start().exited
      host.start()
      const result = await host.resultOf(given)
      expect(result['ok']).toBe(name !== 'activate')
      expect(count(`begin ${name}`)).toBe(name === 'activate' ? 1 : 2)
      await new Promise((resolve) => setTimeout(resolve, 3_500))
      expect(count('late')).toBe(0)
      if (name === 'activate')
        expect(result['hooks']).toContainEqual(
          expect.objectContaining({ name, state: 'interrupted' }),
        )
    })

  test('inside a repeatable activate: it is run again', async () => {
    const deadly = `[ -e ${host.folder}/once ] || { touch ${host.folder}/once; kill -9 $PPID; sleep 3; }`
    const built = host.release('new', { activate: deadly, health: 'true' })
    const given = host.give('deploy', built, { hooks: ['activate', 'health'], repeatable: true })
    await host.start().exited
    host.start()
    expect((await host.resultOf(given))['ok']).toBe(true)
    expect(count('begin activate')).toBe(2)
    expect(host.page()).toBe('new')
  })

  test('inside rollback and the health after it: both are run again, and the release before is back', async () => {
    const first = host.give(
      'deploy',
      host.release('first', {
        activate: 'true',
        health: `[ ! -e ${host.folder}/die ] || { rm ${host.folder}/die; kill -9 $PPID; sleep 3; }`,
      }),
      { hooks: ['activate', 'health'] },
    )
    let agent = host.start()
    expect((await host.resultOf(first))['ok']).toBe(true)
    const deadly = `[ -e ${host.folder}/once ] || { touch ${host.folder}/once ${host.folder}/die; kill -9 $PPID; sleep 3; }`
    const bad = host.give(
      'deploy',
      host.release('bad', { activate: 'true', health: 'exit 4', rollback: deadly }),
      { hooks: ['activate', 'health', 'rollback'] },
    )
    for (let kills = 0; kills < 2; kills += 1) {
      await agent.exited
      agent = host.start()
    }
    const result = await host.resultOf(bad)
    expect(result).toMatchObject({
      ok: false,
      hook: 'health',
      exitCode: 4,
      release: first.result?.['release'],
    })
    expect(result['message']).toContain('went back, the release before is healthy')
    expect(count('begin rollback')).toBe(2)
    expect(host.page()).toBe('first')
  })
})
