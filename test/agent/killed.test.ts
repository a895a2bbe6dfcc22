import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { eventually } from '../harness/eventually.ts'
import { agentHost, type AgentHost } from '../harness/agents/agent-host.ts'

const preload = join(import.meta.dirname, '../harness/agents/kill-at-flush.cjs')

/** In a hook: its parent is the shell that waits for it, and the agent is the parent of that. */
const killAgent = `kill -9 $(cut -d' ' -f4 /proc/$PPID/stat)`

function isRunning(pid: string): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

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
  /** The shell that waits for the hook has noted how it ended, and is gone. */
  const hookEndedAlone = async () =>
    eventually(async () => {
      const [, shell] = /^end alone (\d+)$/m.exec(host.trace().join('\n')) ?? []
      return shell !== undefined && !isRunning(shell)
    })

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
      expect(starts, `kill ${at}: activate ran ${starts} times`).toBe(1)
      // Of a hook it is known whether it began and how it ended, at each of these moments.
      expect(result, `kill ${at}`).toMatchObject({ ok: true })
      expect(host.page()).toBe(page)
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

  for (const [before, action, starts] of [
    ['install', 'activate', ['activate', 'health']],
    ['deploy', 'rollback', ['activate', 'health']],
  ] as const)
    test(`at each step of ${action} after ${before} in one deployment: it is done once`, async () => {
      const hooks = { install: 'true', activate: 'true', health: 'true' }
      const old = host.give('deploy', host.release('old', hooks))
      const agent = host.start()
      expect((await host.resultOf(old))['ok']).toBe(true)
      await agent.stop()
      let kills = 0
      for (let at = 1; ; at += 1) {
        const page = `release ${at}`
        const built = host.release(page, hooks)
        const first = host.give(before, built)
        const unharmed = host.start()
        expect((await host.resultOf(first))['ok']).toBe(true)
        await unharmed.stop()
        const from = host.trace().length
        const given =
          action === 'rollback'
            ? host.give(action, old.asked.artifact, { of: first })
            : host.give(action, built, { of: first })
        const victim = host.start({ KILL_AT: String(at), NODE_OPTIONS: `--require=${preload}` })
        const isKilled = await Promise.race([
          victim.exited.then(() => true),
          host.resultOf(given).then(() => false),
        ])
        const next = isKilled ? host.start() : victim
        expect(await host.resultOf(given), `kill ${at}`).toMatchObject({ ok: true })
        await next.stop()
        expect(host.page()).toBe(action === 'rollback' ? 'old' : page)
        const begun = host
          .trace()
          .slice(from)
          .flatMap((line) => /^begin (\w+)/.exec(line)?.[1] ?? [])
        expect(begun, `kill ${at}`).toEqual(starts)
        if (!isKilled) break
        kills += 1
      }
      expect(kills).toBeGreaterThan(6)
    })

  for (const name of ['install', 'health', 'activate'] as const)
    test(`inside ${name}: its process does not go on, and ${name === 'activate' ? 'it counts as failed' : 'it is run again'}`, async () => {
      // The hook kills its agent the first time, and would write on.
      const deadly = `[ -e ${host.folder}/once ] || { touch ${host.folder}/once; ${killAgent}; sleep 3; echo "late ${name}" >> "$TRACE"; }`
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

  for (const name of ['install', 'activate', 'health'] as const)
    for (const { end, code } of [
      { end: 'succeeds', code: 0 },
      { end: 'fails', code: 7 },
    ])
      test(`before ${name} ${end} by itself: ${name === 'health' && code > 0 ? 'it is tried again' : 'it is not run again'}`, async () => {
        const once = `[ -e ${host.folder}/once ] || { touch ${host.folder}/once; ${killAgent}; sleep 0.3; echo "end alone $PPID" >> "$TRACE"; exit ${code}; }`
        const hooks = { install: 'true', activate: 'true', health: 'true', [name]: once }
        const given = host.give('deploy', host.release('new', hooks))
        await host.start().exited
        await hookEndedAlone()
        host.start()
        const result = await host.resultOf(given)
        const isRetried = name === 'health' && code > 0
        expect(count(`begin ${name}`)).toBe(isRetried ? 2 : 1)
        expect(result['ok']).toBe(code === 0 || isRetried)
        const [hook] = (result['hooks'] as Array<Record<string, unknown>>).filter(
          (one) => one['name'] === name,
        )
        expect(hook).toMatchObject(
          code === 0 || isRetried
            ? { state: 'succeeded', exitCode: 0 }
            : { state: 'failed', exitCode: 7 },
        )
        // 300, but for the fraction of a millisecond that each of its two times lacks.
        if (!isRetried) expect(hook?.['durationMs']).toBeGreaterThanOrEqual(299)
      })

  for (const { code, lives } of [
    { code: 0, lives: true },
    { code: 7, lives: false },
  ])
    test(`before a hook that started a server ends by itself with ${code}: the server ${lives ? 'lives on' : 'is ended'}`, async () => {
      const server = `sleep 600 >/dev/null 2>&1 & echo "server $!" >> "$TRACE"`
      const activate = `${killAgent}; ${server}; echo "end alone $PPID" >> "$TRACE"; exit ${code}`
      const given = host.give('deploy', host.release('new', { activate }), { hooks: ['activate'] })
      await host.start().exited
      await hookEndedAlone()
      host.start()
      expect((await host.resultOf(given))['ok']).toBe(lives)
      const [, pid = ''] = /^server (\d+)$/m.exec(host.trace().join('\n')) ?? []
      const isAlive = isRunning(pid)
      if (isAlive) process.kill(Number(pid), 'SIGKILL')
      expect(isAlive).toBe(lives)
    })

  test('inside a repeatable activate: it is run again', async () => {
    const deadly = `[ -e ${host.folder}/once ] || { touch ${host.folder}/once; ${killAgent}; sleep 3; }`
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
        health: `[ ! -e ${host.folder}/die ] || { rm ${host.folder}/die; ${killAgent}; sleep 3; }`,
      }),
      { hooks: ['activate', 'health'] },
    )
    let agent = host.start()
    expect((await host.resultOf(first))['ok']).toBe(true)
    const deadly = `[ -e ${host.folder}/once ] || { touch ${host.folder}/once ${host.folder}/die; ${killAgent}; sleep 3; }`
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
