import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { hostRow, testDeployment, want } from '../../harness/deployments.ts'
import { createSecondApp, type SecondApp } from '../../harness/second-app.ts'
import { agentClient, agentPlace, makeAgent, type AgentClient } from './agent-client.ts'
import { hooks, hostsAtWork } from './hosts-at-work.ts'

let harness: Harness
let second: SecondApp
let at: ReturnType<typeof hostsAtWork>
beforeAll(async () => {
  harness = await createHarness()
  second = await createSecondApp(harness)
  at = hostsAtWork(harness)
})
afterAll(async () => {
  await second.close()
  await harness.close()
})

describe('results', () => {
  test('200: the same result again changes nothing; 409: another one, or any other after the end', async () => {
    const { agent, deployment } = await at.atWork()
    const { fence } = await at.claimed(agent)
    const path = `deployments/${deployment.id}/result`
    const result = {
      ...at.resultOf(deployment, fence),
      hooks: [{ name: 'install', state: 'succeeded', exitCode: 0, durationMs: 12 }],
    }
    const answers = await Promise.all([1, 2, 3].map(async () => agent.call(path, result)))
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200])
    const row = await hostRow(harness.deps, deployment.id, agent.id)
    expect(row).toMatchObject({
      state: 'healthy',
      runsNew: true,
      wanted: null,
      leaseUntil: null,
      afterDigest: deployment.digest,
      afterRunId: deployment.id,
      hooks: result.hooks,
    })
    expect(await at.wakes(deployment.id)).toHaveLength(1)
    for (const other of [
      { ...result, ok: false },
      { ...result, fence: fence + 1 },
      at.resultOf(deployment, fence),
    ]) {
      const refused = await agent.call(path, other)
      expect([refused.statusCode, refused.json().code]).toEqual([409, 'lease_lost'])
    }
    expect((await hostRow(harness.deps, deployment.id, agent.id)).endedAt).toEqual(row['endedAt'])
    const shown = await agent.beat({ release: result.release })
    expect(shown.statusCode).toBe(200)
    expect((await agent.claim()).statusCode).toBe(204)
  })

  test.each([
    ['deploy', true, 'healthy', true],
    ['deploy', false, 'failed', true],
    ['install', true, 'staged', true],
    ['activate', true, 'healthy', true],
    ['activate', false, 'failed', true],
  ] as const)('200: %s, ok %s: the host is %s', async (wanted, ok, state, runsNew) => {
    const { agent, deployment } = await at.atWork({}, wanted)
    const work = await at.claimed(agent)
    expect(work.action).toBe(wanted)
    const answer = await agent.call(
      `deployments/${deployment.id}/result`,
      at.resultOf(deployment, work.fence, ok),
    )
    expect(answer.statusCode).toBe(200)
    expect(await hostRow(harness.deps, deployment.id, agent.id)).toMatchObject({ state, runsNew })
  })

  test('200: a rollback brings the earlier release with its hooks, and is refused the other’s bytes', async () => {
    const place = await agentPlace(harness)
    const agent = await makeAgent(harness, place)
    const { workspaceId, org } = place
    const earlier = await testDeployment(harness.deps, org.id, {
      workspaceId,
      outcome: 'succeeded',
      hooks: { health: { path: 'hooks/old-health', timeoutSeconds: 9, repeatable: false } },
    })
    const deployment = await testDeployment(harness.deps, org.id, {
      workspaceId,
      pipelineId: earlier.pipelineId,
      earlierRunId: earlier.id,
      hooks,
    })
    await want(harness.deps, org.id, {
      deploymentId: deployment.id,
      agentId: agent.id,
      wanted: 'rollback',
      state: 'rolling_back',
    })
    const work = await at.claimed(agent)
    expect(work).toMatchObject({
      id: deployment.id,
      action: 'rollback',
      release: { digest: earlier.digest, runId: earlier.id },
      hooks: { health: { path: 'hooks/old-health' } },
      timeouts: { health: 9 },
    })
    const bytes = await agent.get(`deployments/${deployment.id}/artifact?fence=${work.fence}`)
    expect(bytes.rawPayload.equals(earlier.bytes)).toBe(true)
    await agent.call(`deployments/${deployment.id}/result`, at.resultOf(earlier, work.fence))
    expect(await hostRow(harness.deps, deployment.id, agent.id)).toMatchObject({
      state: 'rolled_back',
      runsNew: false,
    })
  })

  test('200: success beside another release is not believed', async () => {
    const { agent, deployment } = await at.atWork()
    const { fence } = await at.claimed(agent)
    const release = { digest: `sha256:${'e'.repeat(64)}`, runId: 1 }
    await agent.call(`deployments/${deployment.id}/result`, { fence, ok: true, release })
    expect(await hostRow(harness.deps, deployment.id, agent.id)).toMatchObject({
      state: 'failed',
      runsNew: false,
      message: expect.stringContaining('another release'),
    })
  })

  test('200: a refused release is audited', async () => {
    const { org, agent, deployment } = await at.atWork()
    const { fence } = await at.claimed(agent)
    await agent.call(`deployments/${deployment.id}/result`, {
      fence,
      ok: false,
      refused: true,
      message: 'provenance_refused: not signed by a trusted key',
      release: null,
    })
    expect(await at.audited(org.id, 'agent.release_refused')).toMatchObject([
      { actorKind: 'agent', outcome: 'denied', detail: { deploymentId: deployment.id } },
    ])
  })
})

describe('artifacts', () => {
  test('200, 206, 416: whole, in parts, and from the beginning for another version', async () => {
    const { agent, deployment } = await at.atWork()
    const { fence, release } = await at.claimed(agent)
    const path = `deployments/${deployment.id}/artifact?fence=${fence}`
    const whole = await agent.get(path)
    expect([whole.statusCode, whole.rawPayload.equals(deployment.bytes)]).toEqual([200, true])
    expect(whole.headers).toMatchObject({
      etag: `"${release.digest}"`,
      'accept-ranges': 'bytes',
      'content-length': String(release.sizeBytes),
    })
    const part = await agent.get(path, { range: 'bytes=100-', 'if-range': `"${release.digest}"` })
    expect([part.statusCode, part.headers['content-range']]).toEqual([
      206,
      `bytes 100-${release.sizeBytes - 1}/${release.sizeBytes}`,
    ])
    expect(part.rawPayload.equals(deployment.bytes.subarray(100))).toBe(true)
    const other = await agent.get(path, { range: 'bytes=100-', 'if-range': '"other"' })
    expect([other.statusCode, other.rawPayload.length]).toEqual([200, release.sizeBytes])
    expect((await agent.get(path, { range: `bytes=${release.sizeBytes}-` })).statusCode).toBe(416)
    expect((await agent.get(`deployments/${deployment.id}/artifact`)).statusCode).toBe(400)
  })

  test('409: after the result nothing more is sent; a release that is kept no more ends the host', async () => {
    const { agent, deployment } = await at.atWork()
    const { fence } = await at.claimed(agent)
    await agent.call(`deployments/${deployment.id}/result`, at.resultOf(deployment, fence))
    const late = await agent.get(`deployments/${deployment.id}/artifact?fence=${fence}`)
    expect([late.statusCode, late.json().code]).toEqual([409, 'lease_lost'])

    const gone = await at.atWork()
    await at
      .platform()('artifacts')
      .where({ pipelineRunId: gone.deployment.id })
      .update({ sweptAt: new Date(), provenance: null })
    expect((await gone.agent.claim()).statusCode).toBe(204)
    expect(await hostRow(harness.deps, gone.deployment.id, gone.agent.id)).toMatchObject({
      state: 'failed',
      message: 'The release is no longer kept.',
    })
  })
})

describe('catching up', () => {
  const offlineHost = async (deploymentId: number, agent: AgentClient, organizationId: number) =>
    at.platform()('deployment_hosts').insert({
      organizationId,
      pipelineRunId: deploymentId,
      agentId: agent.id,
      position: 1,
      state: 'unreachable',
    })

  test('200: a host that was offline gets the current release, never an older one', async () => {
    const place = await agentPlace(harness)
    const { workspaceId, org } = place
    const agent = await makeAgent(harness, place)
    const missed = await testDeployment(harness.deps, org.id, { workspaceId, outcome: 'succeeded' })
    const { pipelineId } = missed
    const current = await testDeployment(harness.deps, org.id, {
      workspaceId,
      pipelineId,
      outcome: 'succeeded',
    })
    await testDeployment(harness.deps, org.id, { workspaceId, pipelineId, outcome: 'failed' })
    await offlineHost(missed.id, agent, org.id)
    const live = await testDeployment(harness.deps, org.id, { workspaceId, pipelineId })
    // While the pipeline deploys, that deployment is what counts.
    expect((await agent.claim()).statusCode).toBe(204)
    await at
      .platform()('deployments')
      .where({ pipelineRunId: live.id })
      .update({ endedAt: new Date(), outcome: 'failed' })
    const both = await Promise.all([agent.claim(), agentClient({ app: second.app }, agent).claim()])
    expect(both.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([200, 204])
    const work = both.find(({ statusCode }) => statusCode === 200)?.json().deployment
    expect(work).toMatchObject({ id: current.id, action: 'deploy' })
    await agent.call(`deployments/${current.id}/result`, at.resultOf(current, work.fence))
    expect(await hostRow(harness.deps, current.id, agent.id)).toMatchObject({
      state: 'healthy',
      runsNew: true,
    })
    expect((await agent.claim()).statusCode).toBe(204)
    expect(await at.wakes(current.id)).toHaveLength(0)
  })

  test('204: a host that has the current release already is left as it is', async () => {
    const place = await agentPlace(harness)
    const agent = await makeAgent(harness, place)
    const current = await testDeployment(harness.deps, place.org.id, {
      workspaceId: place.workspaceId,
      outcome: 'succeeded',
    })
    await offlineHost(current.id, agent, place.org.id)
    await agent.beat({ release: { digest: current.digest, runId: current.id } })
    expect((await agent.claim()).statusCode).toBe(204)
    expect((await hostRow(harness.deps, current.id, agent.id)).wanted).toBeNull()
  })
})
