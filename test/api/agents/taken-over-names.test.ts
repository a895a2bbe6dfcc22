import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { hostRow, testDeployment, want } from '../../harness/deployments.ts'
import { agentClient, agentPlace, makeAgent } from './agent-client.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

// A deployment to hosts of the role db goes on, and somebody with a token of a join enrolls as one of its hosts.
describe('the name of a lost host of a deployment under way', () => {
  const platform = () => harness.deps.store.platform
  const makeJoin = async (
    place: Pick<Awaited<ReturnType<typeof agentPlace>>, 'owner' | 'workspaceId'>,
    labels: object,
  ) => makeAgent(harness, { ...place, more: { labels, join: { maxAgents: 5, expiresInDays: 1 } } })

  const lostHost = async (row: object) => {
    const place = await agentPlace(harness)
    const join = await makeJoin(place, { role: 'db' })
    const { agent, token } = (await join.call('enroll', { name: 'db-3' })).json()
    const { id: deploymentId } = await testDeployment(harness.deps, place.org.id, {
      workspaceId: place.workspaceId,
      labels: { role: 'db' },
      variables: { DB_PASSWORD: 'known-to-db-alone' },
    })
    await platform()('deployments')
      .where({ pipelineRunId: deploymentId })
      .update({ labels: JSON.stringify({ role: 'db' }), batch: 2, confirmStep: 1 })
    await platform()('deployment_hosts').insert({
      organizationId: place.org.id,
      pipelineRunId: deploymentId,
      agentId: agent.id,
      position: 1,
      ...row,
    })
    await agentClient(harness, { id: agent.id, token }).beat()
    await platform().raw(
      `update agents set last_seen_at = now() - interval '25 hours' where id = ?`,
      [agent.id],
    )
    return { ...place, deploymentId, agentId: agent.id }
  }

  /** As another machine enrolls with the same name. */
  const takeOver = async (
    { agentId, ...place }: Awaited<ReturnType<typeof lostHost>>,
    labels: object,
  ) => {
    const join = await makeJoin(place, labels)
    const taken = await join.call('enroll', { name: 'db-3' })
    expect([taken.statusCode, taken.json().agent?.id]).toEqual([201, agentId])
    return agentClient(harness, { id: agentId, token: taken.json().token })
  }

  test.each([
    { row: { state: 'pending' }, batch: 2, state: 'unreachable' },
    { row: { state: 'staged', batch: 1 }, batch: 1, state: 'unreachable' },
    { row: { state: 'updating', batch: 2, wanted: 'deploy' }, batch: 2, state: 'unreachable' },
    { row: { state: 'rolling_back', batch: 1, wanted: 'rollback' }, batch: 1, state: 'stuck' },
    { row: { state: 'healthy', batch: 1, runsNew: true }, batch: 1, state: 'healthy' },
    { row: { state: 'unreachable' }, batch: null, state: 'unreachable' },
  ])('204: of $row.state it has no part with other labels', async ({ row, batch, state }) => {
    const lost = await lostHost(row)
    const { fence: before } = await hostRow(harness.deps, lost.deploymentId, lost.agentId)
    const host = await takeOver(lost, { role: 'web' })
    const { fence, ...now } = await hostRow(harness.deps, lost.deploymentId, lost.agentId)
    expect(now).toMatchObject({ state, batch, wanted: null, leaseUntil: null, runsNew: false })
    expect(fence).toBeGreaterThan(before)
    expect((await host.claim()).statusCode).toBe(204)
  })

  test('a host with the labels of the lost one has its part, also if it has more', async () => {
    const lost = await lostHost({ state: 'pending' })
    const host = await takeOver(lost, { role: 'db', zone: 'a' })
    const row = await hostRow(harness.deps, lost.deploymentId, lost.agentId)
    expect(row).toMatchObject({ state: 'pending', batch: null })
    await want(harness.deps, lost.org.id, lost)
    expect((await host.claim()).statusCode).toBe(200)
  })

  test('204: what was wanted of it before its labels were changed is ended, and counts as failed', async () => {
    const lost = await lostHost({ state: 'pending' })
    const host = await takeOver(lost, { role: 'db' })
    await want(harness.deps, lost.org.id, lost)
    const patched = await lost.owner.patch(`/api/agents/${lost.agentId}`, {
      labels: { role: 'web' },
    })
    expect(patched.statusCode).toBe(200)
    expect((await host.claim()).statusCode).toBe(204)
    expect(await hostRow(harness.deps, lost.deploymentId, lost.agentId)).toMatchObject({
      state: 'failed',
      wanted: null,
      message: 'The agent does not have the labels of this release any more.',
    })
  })

  test('409: the artifact of a claim is for the labels that it was claimed with', async () => {
    const lost = await lostHost({ state: 'pending' })
    const host = await takeOver(lost, { role: 'db' })
    await want(harness.deps, lost.org.id, lost)
    const { fence } = (await host.claim()).json().deployment
    await lost.owner.patch(`/api/agents/${lost.agentId}`, { labels: { role: 'web' } })
    const answer = await host.get(`deployments/${lost.deploymentId}/artifact?fence=${fence}`)
    expect([answer.statusCode, answer.json().code]).toEqual([409, 'lease_lost'])
  })
})
