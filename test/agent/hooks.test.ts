import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { agentHost, type AgentHost } from '../harness/agents/agent-host.ts'
import type { AgentProcess } from '../harness/agents/start-agent.ts'
import { eventually } from '../harness/eventually.ts'

describe('hooks', () => {
  let host: AgentHost
  let agent: AgentProcess
  beforeEach(async () => {
    host = await agentHost()
    agent = host.start({ CC_SECRET_OF_HOST: 'host-secret' })
  })
  afterEach(async () => {
    expect(host.server.state.faults).toEqual([])
    await host.close()
  })

  const lived = (mark: string) => host.trace().includes(mark)
  const forks = (mark: string) =>
    `trap '' TERM; (trap '' TERM; sleep 8; echo "${mark} child" >> "$TRACE") & sleep 8; echo "${mark} parent" >> "$TRACE"`

  test('one that forks and ignores SIGTERM is ended at its limit, with all of its group', async () => {
    const built = host.release('x', { activate: forks('late') })
    const given = host.give('deploy', built, { hooks: ['activate'], timeouts: { activate: 1 } })
    const result = await host.resultOf(given)
    expect(result).toMatchObject({
      ok: false,
      hook: 'activate',
      hooks: [{ name: 'activate', state: 'timed_out' }],
    })
    await sleep(3_000)
    expect(lived('late child') || lived('late parent')).toBe(false)
  })

  test('stop ends what runs, and is said', async () => {
    const given = host.give(
      'deploy',
      host.release('x', { activate: 'sleep 30; echo late >> "$TRACE"' }),
      { hooks: ['activate'], timeouts: { activate: 60 } },
    )
    await eventually(async () => host.trace().some((line) => line.startsWith('begin activate')))
    given.stop = true
    const result = await host.resultOf(given)
    expect(result).toMatchObject({ ok: false, message: 'stopped', release: null })
    expect(lived('late')).toBe(false)
  })

  test('the environment is small: no token, no setting, nothing of the agent', async () => {
    const env = [
      { key: 'COLOR', value: 'green', sensitive: false },
      { key: 'CC_OUT_LB', value: 'lb.example', sensitive: false },
    ]
    const given = host.give(
      'deploy',
      host.release('x', { activate: 'env > env.txt; ls -l /proc/self/fd > fds.txt' }),
      { hooks: ['activate'], env },
    )
    expect(await host.resultOf(given)).toMatchObject({ ok: true })
    const text = readFileSync(join(host.dir, 'current/env.txt'), 'utf8')
    const own = new Map(
      text
        .trim()
        .split('\n')
        .map((line) => line.split('=', 2) as [string, string]),
    )
    for (const name of ['PWD', 'OLDPWD', '_', 'SHLVL']) own.delete(name)
    expect([...own.keys()].toSorted()).toEqual([
      'CC_OUT_LB',
      'CC_PHASE',
      'CC_RELEASE_DIGEST',
      'CC_RELEASE_PATH',
      'COLOR',
      'HOME',
      'LANG',
      'PATH',
      'TRACE',
    ])
    expect(own.get('CC_PHASE')).toBe('activate')
    expect(text).not.toMatch(/cc_agt_|host-secret/)
    // Only its three streams: no journal, no lock, no connection.
    const fds = readFileSync(join(host.dir, 'current/fds.txt'), 'utf8')
    expect(fds).not.toMatch(/socket|journal/)
  })

  test('secret variables are masked before a line leaves the host', async () => {
    const secret = 's3cr3t-of-the-deployment'
    const env = [{ key: 'PASSWORD', value: secret, sensitive: true }]
    const print =
      'echo "plain $PASSWORD"; printf %s "$PASSWORD" | base64; printf "no newline $PASSWORD"'
    const given = host.give('deploy', host.release('x', { activate: print }), {
      hooks: ['activate'],
      env,
    })
    await host.resultOf(given)
    const lines = given.lines.map(({ line }) => line).join('\n')
    expect(lines).toContain('plain [masked]')
    expect(lines).toContain('no newline [masked]')
    expect(lines).not.toContain(secret)
    expect(lines).not.toContain(Buffer.from(secret).toString('base64').slice(0, 20))
    expect(agent.said()).not.toContain(secret)
  })

  test('lines come while the hook runs, in order, none twice and none left out', async () => {
    const given = host.give(
      'deploy',
      host.release('x', {
        activate:
          'i=0; while [ $i -lt 3000 ]; do echo "line $i"; i=$((i+1)); done; sleep 1.5; printf last',
      }),
      { hooks: ['activate'] },
    )
    await eventually(async () => given.lines.some(({ line }) => line === 'line 2999'))
    expect(given.result).toBeUndefined()
    await host.resultOf(given)
    const numbered = given.lines.filter(({ line }) => line.startsWith('line '))
    expect(numbered.map(({ line }) => line)).toEqual(
      Array.from({ length: 3_000 }, (_, at) => `line ${at}`),
    )
    expect(given.lines.some(({ line }) => line === 'last')).toBe(true)
  })

  test('of a flood the first 10 MiB and the last lines are kept', async () => {
    const given = host.give(
      'deploy',
      host.release('x', {
        activate:
          'yes "a line of a flood of many lines" | head -c 60000000; echo the end of it; exit 9',
      }),
      { hooks: ['activate'] },
    )
    expect(await host.resultOf(given)).toMatchObject({ ok: false, exitCode: 9 })
    const text = given.lines.map(({ line }) => line)
    expect(text.some((line) => /^… \d+ bytes were left out here/.test(line))).toBe(true)
    expect(text).toContain('the end of it')
    expect(text.join('\n').length).toBeLessThan(12 * 1024 ** 2)
  })

  test('a line without end is cut, and the next ones come', async () => {
    const given = host.give(
      'deploy',
      host.release('x', { activate: 'head -c 3000000 /dev/zero | tr "\\0" x; echo; echo after' }),
      { hooks: ['activate'] },
    )
    await host.resultOf(given)
    const text = given.lines.map(({ line }) => line)
    expect(text.filter((line) => line.startsWith('xxx'))).toHaveLength(1)
    expect(text).toContain('after')
  })

  test('a server that a hook starts goes on, and holds nothing up', async () => {
    const built = host.release('x', { activate: '(sleep 4; echo served >> "$TRACE") &' })
    const begun = performance.now()
    expect(await host.resultOf(host.give('deploy', built, { hooks: ['activate'] }))).toMatchObject({
      ok: true,
    })
    expect(performance.now() - begun).toBeLessThan(3_500)
    await eventually(async () => lived('served'))
  })

  test('SIGTERM: the hook may finish, nothing new begins, and the next start goes on', async () => {
    const built = host.release('x', { install: 'sleep 2', activate: 'true' })
    const given = host.give('deploy', built, { hooks: ['install', 'activate'] })
    await eventually(async () => host.trace().some((line) => line.startsWith('begin install')))
    expect(await agent.stop()).toBe(0)
    expect(lived('end install')).toBe(true)
    expect(host.trace().some((line) => line.startsWith('begin activate'))).toBe(false)
    expect(existsSync(join(host.dir, 'agent.lock'))).toBe(false)
    host.start()
    expect(await host.resultOf(given)).toMatchObject({ ok: true })
    expect(host.trace().filter((line) => line.startsWith('begin install'))).toHaveLength(1)
  })
})
