import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { agentHost, type AgentHost } from '../harness/agents/agent-host.ts'
import { eventually } from '../harness/eventually.ts'

/** Replaces a file as a whole, as a tool that rotates secrets does. */
const replace = (file: string, text: string): void => {
  writeFileSync(`${file}.new`, text)
  renameSync(`${file}.new`, file)
}

describe('a service that refuses the calls of a deployment under way', () => {
  let host: AgentHost
  afterEach(async () => {
    expect(host.server.state.faults).toEqual([])
    await host.close()
  })
  const begun = async (hook: string) =>
    eventually(async () => host.trace().some((line) => line.startsWith(`begin ${hook}`)), {
      looks: 1_200,
      everyMs: 20,
    })
  const hooksRun = () => host.trace().map((line) => line.split(' ').slice(0, 2).join(' '))
  const oncePerHook = (names: string[]) => names.flatMap((name) => [`begin ${name}`, `end ${name}`])
  const giveActivate = (activate: string) =>
    host.give('deploy', host.release('new', { activate, health: 'true' }), {
      hooks: ['activate', 'health'],
      timeouts: { activate: 60, health: 30 },
    })

  test('401 in a hook: a token that was rotated in its file is read, and the hook goes on', async () => {
    host = await agentHost({ leaseMs: 20_000 })
    const file = join(host.folder, 'token')
    writeFileSync(file, host.token)
    // Longer than the time between two heartbeats.
    const given = giveActivate('sleep 12; echo "activate is done"')
    host.start({ CC_AGENT_TOKEN: '', CC_AGENT_TOKEN_FILE: file })
    await begun('activate')
    replace(file, 'cc_agt_new\n')
    host.server.state.tokens = new Set(['cc_agt_new'])
    expect(await host.resultOf(given)).toMatchObject({ ok: true })
    expect(hooksRun()).toEqual(oncePerHook(['activate', 'health']))
    expect(given.claims).toBe(1)
    expect(given.lines.map(({ line }) => line)).toContain('activate is done')
  })

  test('401 of the artifact: the new token is read, and the download goes on', async () => {
    host = await agentHost()
    const file = join(host.folder, 'token')
    writeFileSync(file, host.token)
    const { state } = host.server
    state.refuse = (route) => {
      if (route !== 'artifact' || state.tokens.has('cc_agt_new')) return undefined
      replace(file, 'cc_agt_new')
      state.tokens = new Set(['cc_agt_new'])
      return { status: 401, code: 'unauthorized' }
    }
    const given = giveActivate('true')
    host.start({ CC_AGENT_TOKEN: '', CC_AGENT_TOKEN_FILE: file })
    expect(await host.resultOf(given)).toMatchObject({ ok: true })
    expect(given.claims).toBe(1)
  })

  test('401 until the operator is there: lines and result are repeated, and none is lost', async () => {
    host = await agentHost({ leaseMs: 20_000 })
    const given = giveActivate('sleep 2; echo "activate is done"')
    const agent = host.start()
    await begun('activate')
    host.server.state.tokens.clear()
    await eventually(async () => host.trace().includes('end health'), { looks: 200 })
    await sleep(1_500)
    host.server.state.tokens.add(host.token)
    expect(await host.resultOf(given)).toMatchObject({ ok: true })
    expect([given.claims, hooksRun()]).toEqual([1, oncePerHook(['activate', 'health'])])
    expect(given.lines.map(({ line }) => line)).toContain('activate is done')
    expect(agent.said()).not.toContain('the lease is lost')
  })

  test('403 for longer than the lease: no hook is cut, and no further one begins before a new claim', async () => {
    host = await agentHost({ leaseMs: 3_000 })
    host.server.state.refuse = (route) =>
      route === 'heartbeat' ? { status: 403, code: 'organization_suspended' } : undefined
    const built = host.release('new', { install: 'sleep 5', activate: 'true', health: 'true' })
    const given = host.give('deploy', built)
    const agent = host.start()
    expect(await host.resultOf(given)).toMatchObject({ ok: true })
    expect(hooksRun()).toEqual(oncePerHook(['install', 'activate', 'health']))
    expect(given.claims).toBe(2)
    expect(agent.said()).toContain('the lease is lost')
  })

  test('a token that is replaced after the lease ended by one that enrolls: the agent enrolls, and goes on', async () => {
    host = await agentHost({ leaseMs: 3_000, againMs: 100 })
    const file = join(host.folder, 'token')
    writeFileSync(file, host.token)
    const built = host.release('new', { install: 'sleep 5', activate: 'true', health: 'true' })
    const given = host.give('deploy', built)
    host.start({ CC_AGENT_TOKEN: '', CC_AGENT_TOKEN_FILE: file })
    await begun('install')
    host.server.state.tokens.clear()
    replace(file, 'cc_agt_join')
    expect(await host.resultOf(given)).toMatchObject({ ok: true })
    expect(hooksRun()).toEqual(oncePerHook(['install', 'activate', 'health']))
    expect(host.server.state.names).toHaveLength(1)
  })

  test('400 of a result: a shorter one is sent, which says so', async () => {
    host = await agentHost()
    host.server.state.refuse = (route, body) =>
      route === 'result' && 'hooks' in body ? { status: 400, code: 'validation_failed' } : undefined
    const given = giveActivate('true')
    host.start()
    const { release, ...rest } = await host.resultOf(given)
    expect(rest).toEqual({
      ok: true,
      message: 'the service refused the whole result with status 400: its log has the rest',
    })
    expect(release).toMatchObject({ digest: expect.stringMatching(/^sha256:/) })
    expect(given.claims).toBe(1)
  })

  test('413 of every result: so many tries a claim, no hook runs again, and it is not noted as taken', async () => {
    host = await agentHost({ leaseMs: 20_000 })
    const tries: number[] = []
    host.server.state.refuse = (route) => {
      if (route !== 'result') return undefined
      tries.push(given.claims)
      return { status: 413, code: 'too_large' }
    }
    const given = giveActivate('true')
    const agent = host.start()
    // A later claim finds the result in the journal.
    await eventually(async () => given.claims === 3, { looks: 900 })
    expect(tries.slice(0, 8)).toEqual([1, 1, 1, 1, 2, 2, 2, 2])
    expect(agent.said()).toContain('"why":"result_refused"')
    host.server.state.refuse = () => undefined
    expect(await host.resultOf(given)).toMatchObject({ ok: true })
    expect(hooksRun()).toEqual(oncePerHook(['activate', 'health']))
  })

  test('400 of a batch of lines: it is left out once, with its status, and what follows is sent', async () => {
    host = await agentHost()
    let refusals = 0
    host.server.state.refuse = (route, { lines }) => {
      if (route !== 'logs' || !JSON.stringify(lines).includes('activate says hello'))
        return undefined
      refusals += 1
      host.server.state.deployments.forEach((one) => void (one.batches += 1))
      return { status: 400, code: 'validation_failed' }
    }
    const given = giveActivate('sleep 1; echo "activate is done"')
    const agent = host.start()
    expect(await host.resultOf(given)).toMatchObject({ ok: true })
    expect(refusals).toBe(1)
    expect(given.lines.map(({ line }) => line)).toContain('activate is done')
    expect(agent.said()).toMatch(/does not take a batch of lines[^\n]*"status":400/)
  })

  test('400 of a heartbeat: the report of its hook is left out, and the lease is kept', async () => {
    host = await agentHost({ leaseMs: 15_000 })
    host.server.state.refuse = (route, { hook }) =>
      route === 'heartbeat' && hook ? { status: 400, code: 'validation_failed' } : undefined
    const given = giveActivate('sleep 22')
    host.start()
    expect(await host.resultOf(given)).toMatchObject({ ok: true })
    expect([given.claims, hooksRun()]).toEqual([1, oncePerHook(['activate', 'health'])])
  })
})
