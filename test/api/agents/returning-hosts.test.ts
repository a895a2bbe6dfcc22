import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { testDeployment, type TestDeployment } from '../../harness/deployments.ts'
import { agentPlace, makeAgent } from './agent-client.ts'
import { hostsAtWork } from './hosts-at-work.ts'

let harness: Harness
let at: ReturnType<typeof hostsAtWork>
beforeAll(async () => {
  harness = await createHarness()
  at = hostsAtWork(harness)
})
afterAll(async () => harness.close())

describe('a host that was offline in a deployment', () => {
  /** It missed the first of these deployments, in this order of their beginning. */
  const behind = async (labels: object, ...missed: Array<{ labels?: Record<string, string> }>) => {
    const place = await agentPlace(harness)
    const agent = await makeAgent(harness, { ...place, more: { labels } })
    const made: TestDeployment[] = []
    for (const one of missed)
      made.push(
        await testDeployment(harness.deps, place.org.id, {
          workspaceId: place.workspaceId,
          outcome: 'succeeded',
          ...(made[0] && { pipelineId: made[0].pipelineId }),
          ...one,
        }),
      )
    await at.platform()('deployment_hosts').insert({
      organizationId: place.org.id,
      pipelineRunId: made[0]?.id,
      agentId: agent.id,
      position: 1,
      state: 'unreachable',
    })
    return { ...place, agent, made }
  }
  const rowOf = async (deploymentId: number | undefined, agentId: number) =>
    at.platform()('deployment_hosts').where({ pipelineRunId: deploymentId, agentId }).first()

  test('200: it is given the release that was deployed last, whichever run has the higher number', async () => {
    const { agent, made } = await behind({}, {}, {}, {})
    const [, rollback, removed] = made
    const startedAt = (minutes: number) => new Date(Date.now() - minutes * 60_000)
    for (const [one, minutes] of [
      [made[0], 30],
      [removed, 20],
      [rollback, 10],
    ] as const)
      await at
        .platform()('deployments')
        .where({ pipelineRunId: one?.id })
        .update({ startedAt: startedAt(minutes) })
    expect(await at.claimed(agent)).toMatchObject({ id: rollback?.id, action: 'deploy' })
  })

  test('204: relabelled meanwhile, it is given nothing of what is for other hosts', async () => {
    const { owner, agent, made } = await behind({ role: 'web' }, { labels: { role: 'web' } })
    const patched = await owner.patch(`/api/agents/${agent.id}`, { labels: { role: 'db' } })
    expect(patched.statusCode).toBe(200)
    expect((await agent.claim()).statusCode).toBe(204)
    expect(await rowOf(made[0]?.id, agent.id)).toMatchObject({
      wanted: null,
      state: 'unreachable',
      caughtUpAt: expect.any(Date),
    })
  })

  test('204 and 200: the labels are those of the release that runs now', async () => {
    const web = { labels: { role: 'web' } }
    const other = await behind({ role: 'web' }, web, { labels: { role: 'app' } })
    expect((await other.agent.claim()).statusCode).toBe(204)
    expect(await rowOf(other.made[1]?.id, other.agent.id)).toBeUndefined()
    const same = await behind({ role: 'web', zone: 'a' }, { labels: { role: 'app' } }, web)
    expect(await at.claimed(same.agent)).toMatchObject({ id: same.made[1]?.id })
  })

  test('204 and 200: labels that were stored with the deployment decide, and no manifest is checked', async () => {
    const store = async (pipelineRunId: number | undefined, labels: object) =>
      at
        .platform()('deployments')
        .where({ pipelineRunId })
        .update({ labels: JSON.stringify(labels) })
    // Manifest and column differ in this test alone, to show which of them is read.
    const other = await behind({ role: 'web' }, { labels: { role: 'web' } })
    await store(other.made[0]?.id, { role: 'db' })
    expect((await other.agent.claim()).statusCode).toBe(204)
    const same = await behind({ role: 'web' }, { labels: { role: 'db' } })
    await store(same.made[0]?.id, { role: 'web' })
    expect(await at.claimed(same.agent)).toMatchObject({ id: same.made[0]?.id })
  })

  test('204: of deployments without stored labels, a look checks one manifest, and stores what it says', async () => {
    const place = await agentPlace(harness)
    const more = { labels: { role: 'db' } }
    const agent = await makeAgent(harness, { ...place, more })
    const ids: number[] = []
    for (let pipelines = 0; pipelines < 3; pipelines += 1) {
      const { id } = await testDeployment(harness.deps, place.org.id, {
        workspaceId: place.workspaceId,
        outcome: 'succeeded',
        labels: { role: 'web' },
      })
      ids.push(id)
    }
    const missedBy = async (agentId: number) =>
      at
        .platform()('deployment_hosts')
        .insert(
          ids.map((pipelineRunId) => ({
            organizationId: place.org.id,
            pipelineRunId,
            agentId,
            position: agentId,
            state: 'unreachable',
          })),
        )
    const settledOf = async (agentId: number) =>
      (await at.platform()('deployment_hosts').where({ agentId }).whereNotNull('caughtUpAt')).length
    const stored = async () =>
      at.platform()('deployments').whereIn('pipelineRunId', ids).whereNotNull('labels')

    await missedBy(agent.id)
    expect((await agent.claim()).statusCode).toBe(204)
    expect((await stored()).map(({ labels }) => labels)).toEqual([{ role: 'web' }])
    expect(await settledOf(agent.id)).toBe(1)
    // An open claim looks again each second.
    expect((await agent.claim(3)).statusCode).toBe(204)
    expect(await stored()).toHaveLength(3)
    expect(await settledOf(agent.id)).toBe(3)

    // No manifest is left to check.
    const next = await makeAgent(harness, { ...place, more })
    await missedBy(next.id)
    expect((await next.claim()).statusCode).toBe(204)
    expect(await settledOf(next.id)).toBe(3)
  })
})
