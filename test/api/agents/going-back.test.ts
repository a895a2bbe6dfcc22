import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { hostRow, testDeployment, want } from '../../harness/deployments.ts'
import { agentPlace, makeAgent } from './agent-client.ts'

describe('a host that is to go back', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness?.close())

  test.each([
    { labels: { role: 'web', zone: 'z' }, status: 200, state: 'rolling_back' },
    { labels: { role: 'edge', zone: 'z' }, status: 204, state: 'stuck' },
  ])('$status: the earlier release is for the role web, the host has $labels', async (one) => {
    const place = await agentPlace(harness)
    const agent = await makeAgent(harness, { ...place, more: { labels: one.labels } })
    const { workspaceId } = place
    const earlier = await testDeployment(harness.deps, place.org.id, {
      workspaceId,
      outcome: 'succeeded',
    })
    const { id: deploymentId } = await testDeployment(harness.deps, place.org.id, {
      workspaceId,
      pipelineId: earlier.pipelineId,
      earlierRunId: earlier.id,
    })
    for (const [pipelineRunId, labels] of [
      [earlier.id, { role: 'web' }],
      [deploymentId, { zone: 'z' }],
    ] as const)
      await harness.deps.store
        .platform('deployments')
        .where({ pipelineRunId })
        .update({ labels: JSON.stringify(labels) })
    const host = { deploymentId, agentId: agent.id, wanted: 'rollback', state: 'rolling_back' }
    await want(harness.deps, place.org.id, host)
    expect((await agent.claim()).statusCode).toBe(one.status)
    expect(await hostRow(harness.deps, deploymentId, agent.id)).toMatchObject({ state: one.state })
  })
})
