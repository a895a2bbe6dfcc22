import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { organizations } from '../../../store/platform/organizations.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { hostRow } from '../../harness/deployments.ts'
import { agentClient, agentPlace, makeAgent } from './agent-client.ts'
import { hostsAtWork } from './hosts-at-work.ts'

let harness: Harness
let at: ReturnType<typeof hostsAtWork>
beforeAll(async () => {
  harness = await createHarness()
  at = hostsAtWork(harness)
})
afterAll(async () => {
  await harness.close()
})

describe('the protocol', () => {
  test('426: an older protocol, before the body is read; a newer one steps down', async () => {
    const place = await agentPlace(harness)
    const agent = await makeAgent(harness, place)
    const old = { headers: { 'cc-agent-protocol': '0' } }
    for (const path of ['heartbeat', 'claim', 'deployments/1/logs', 'deployments/1/result']) {
      const answer = await agent.call(path, { wrong: true }, old)
      expect([answer.statusCode, answer.json().code]).toEqual([426, 'agent_too_old'])
      expect(answer.headers['upgrade']).toBe('cc-agent/1')
    }
    expect((await agent.get('deployments/1/artifact?fence=1', old.headers)).statusCode).toBe(426)
    expect((await agent.call('heartbeat', { protocols: [0] })).statusCode).toBe(426)
    const newer = await agent.call(
      'heartbeat',
      { protocols: [3, 2], later: { things: 1 } },
      { headers: { 'cc-agent-protocol': '3' } },
    )
    expect([newer.statusCode, newer.json()]).toMatchObject([200, { ok: true, protocol: 1 }])
    const odd = await agent.call('heartbeat', {}, { headers: { 'cc-agent-protocol': 'one' } })
    expect([odd.statusCode, odd.json().code]).toEqual([400, 'agent_protocol'])
    const unsigned = await agent.call(
      'claim',
      {},
      { headers: { ...old.headers, authorization: '' } },
    )
    expect(unsigned.statusCode).toBe(401)
  })

  test('413: no body is larger than its route needs', async () => {
    const agent = await makeAgent(harness, await agentPlace(harness))
    const { deployment, agent: busy, ...place } = await at.atWork()
    const { fence } = await at.claimed(busy)
    const join = await makeAgent(harness, {
      ...place,
      more: { join: { maxAgents: 1, expiresInDays: 1 } },
    })
    const padded = (kib: number) => ({ later: 'x'.repeat(kib * 1024) })
    const result = { ...at.resultOf(deployment, fence) }
    const path = `deployments/${deployment.id}/result`
    for (const answer of [
      await join.call('enroll', { name: 'a', ...padded(16) }),
      await agent.beat(padded(16)),
      await agent.claim(0, padded(16)),
      await busy.call(path, { ...result, ...padded(64) }),
    ])
      expect([answer.statusCode, answer.json().code]).toEqual([413, 'body_too_large'])
    for (const answer of [
      await join.call('enroll', { name: 'a', ...padded(15) }),
      await agent.beat(padded(15)),
      await agent.claim(0, padded(15)),
      await busy.call(path, { ...result, ...padded(63) }),
    ])
      expect(answer.statusCode, answer.body).toBeLessThan(300)
  })

  test('403: a suspended organization’s agents get no work, and may end what they do', async () => {
    const { org, owner, workspaceId, agent, deployment } = await at.atWork()
    const join = await makeAgent(harness, {
      owner,
      workspaceId,
      more: { join: { maxAgents: 1, expiresInDays: 1 } },
    })
    const { fence } = await at.claimed(agent)
    await organizations(at.platform()).setStatus(org.id, 'suspended')
    for (const answer of [
      await agent.beat({ deploymentId: deployment.id, fence }),
      await agent.claim(),
      await join.call('enroll', { name: 'a' }),
    ])
      expect([answer.statusCode, answer.json().code]).toEqual([403, 'organization_suspended'])
    const ended = await agent.call(
      `deployments/${deployment.id}/result`,
      at.resultOf(deployment, fence),
    )
    expect(ended.statusCode).toBe(200)
  })

  test('429: 600 requests a minute an agent, whichever of its tokens it sends; 30,000 all agents of an organization', async () => {
    const env = { CC_RATE_LIMITS: 'agent=20,agents=40,address=100000' }
    const few = await createHarness({ env })
    try {
      const place = await agentPlace(few)
      const agent = await makeAgent(few, place)
      const { token } = (await place.owner.post(`/api/agents/${agent.id}/token`, {})).json()
      const next = agentClient(few, { id: agent.id, token })
      const answers = []
      for (let n = 0; n < 30; n += 1) answers.push(await (n % 2 ? agent : next).beat())
      expect(answers.filter(({ statusCode }) => statusCode === 200).length).toBeLessThanOrEqual(21)
      expect(answers.at(-1)?.statusCode).toBe(429)
      expect(answers[0]?.headers['ratelimit-limit']).toBe('20')
      const other = await makeAgent(few, place)
      expect((await other.beat()).statusCode).toBe(200)
      const more = [other, await makeAgent(few, place)]
      const late = []
      for (let n = 0; n < 24; n += 1) late.push(await (more[n % 2] ?? other).beat())
      const refused = late.find(({ statusCode }) => statusCode === 429)
      expect(refused?.json().error).toMatch(/^The agents of your organization sent more than 40/)
      expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(0)
      // Neither its people nor the agents of another organization wait for them.
      expect((await place.owner.get('/api/agents')).statusCode).toBe(200)
      const stranger = await makeAgent(few, await agentPlace(few))
      expect((await stranger.beat()).statusCode).toBe(200)
    } finally {
      await few.close()
    }
  })
})

describe('leases', () => {
  test('200: a heartbeat makes it last, tells to stop, and notes hooks', async () => {
    const { agent, deployment } = await at.atWork()
    const { fence } = await at.claimed(agent)
    await at.ageLease(deployment.id, 40)
    const held = { deploymentId: deployment.id, fence }
    const hook = { name: 'install', state: 'running', exitCode: null, durationMs: 3 }
    const beat = (await agent.beat({ ...held, hook })).json()
    expect(beat).toMatchObject({ ok: true, protocol: 1, stop: false, paused: false })
    expect(new Date(beat.leaseUntil).getTime() - Date.now()).toBeGreaterThan(40_000)
    await agent.beat({ ...held, hook: { ...hook, state: 'succeeded', exitCode: 0 } })
    await agent.beat({ ...held, hook: { name: 'activate', state: 'running' } })
    const { hooks: noted } = await hostRow(harness.deps, deployment.id, agent.id)
    expect(noted).toEqual([
      { ...hook, state: 'succeeded', exitCode: 0 },
      { name: 'activate', state: 'running', exitCode: null, durationMs: null },
    ])
    const lost = (await agent.beat({ ...held, fence: fence + 1, hook })).json()
    expect(lost).toMatchObject({ leaseUntil: null, stop: true })
    await at
      .platform()('deployment_hosts')
      .where({ pipelineRunId: deployment.id })
      .update({ stopRequestedAt: new Date() })
    const stopping = (await agent.beat(held)).json()
    expect(stopping.stop).toBe(true)
    expect(stopping.leaseUntil).not.toBeNull()
  })

  test('409: an expired lease is lost at once, and the task gives the work back', async () => {
    const { org, agent, deployment } = await at.atWork()
    const { fence } = await at.claimed(agent)
    await at.ageLease(deployment.id, 46)
    const path = `deployments/${deployment.id}`
    const late = await agent.call(`${path}/result`, at.resultOf(deployment, fence))
    expect([late.statusCode, late.json().code]).toEqual([409, 'lease_lost'])
    expect((await agent.beat({ deploymentId: deployment.id, fence })).json()).toMatchObject({
      leaseUntil: null,
      stop: true,
    })
    await Promise.all([at.expire(), at.expire()])
    await at.expire()
    expect(await hostRow(harness.deps, deployment.id, agent.id)).toMatchObject({
      state: 'updating',
      wanted: 'deploy',
      leaseUntil: null,
      leasesLost: 1,
    })
    expect(await at.audited(org.id, 'agent.lease_lost')).toMatchObject([
      { actorKind: 'system', outcome: 'failure', detail: { fence, deploymentId: deployment.id } },
    ])
    expect(await at.wakes(deployment.id)).toHaveLength(1)
    expect((await at.claimed(agent)).fence).toBe(fence + 1)
  })

  test('an agent that dies again and again fails its host; one that is to stop ends without it', async () => {
    const { agent, deployment } = await at.atWork()
    for (let times = 0; times < 5; times += 1) {
      await at.claimed(agent)
      await at.ageLease(deployment.id, 46)
      await at.expire()
    }
    expect(await hostRow(harness.deps, deployment.id, agent.id)).toMatchObject({
      state: 'failed',
      wanted: null,
      message: 'The agent was lost 5 times.',
    })
    expect((await agent.claim()).statusCode).toBe(204)

    const stopped = await at.atWork()
    await at.claimed(stopped.agent)
    await at
      .platform()('deployment_hosts')
      .where({ pipelineRunId: stopped.deployment.id })
      .update({ stopRequestedAt: new Date() })
    await at.expire()
    expect(await hostRow(harness.deps, stopped.deployment.id, stopped.agent.id)).toMatchObject({
      state: 'updating',
    })
    await at.ageLease(stopped.deployment.id, 46)
    await at.expire()
    expect(await hostRow(harness.deps, stopped.deployment.id, stopped.agent.id)).toMatchObject({
      state: 'failed',
      wanted: null,
      runsNew: false,
    })
  })
})
