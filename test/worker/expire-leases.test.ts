import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Store } from '../../store/driver/connect.ts'
import { overdueLeases } from '../../store/platform/overdue-leases.ts'
import { expireLeasesTask } from '../../worker/tasks/expire-leases.ts'
import { agentPlace, makeAgent } from '../api/agents/agent-client.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { hostRow, testDeployment, want } from '../harness/deployments.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

/** A host whose lease ended so many seconds ago. */
async function overdueHost(seconds: number) {
  const place = await agentPlace(harness)
  const agent = await makeAgent(harness, place)
  const organizationId = place.org.id
  const { id } = await testDeployment(harness.deps, organizationId, {
    workspaceId: place.workspaceId,
  })
  await want(harness.deps, organizationId, { deploymentId: id, agentId: agent.id })
  await agent.claim()
  await harness.deps.store.platform.raw(
    `update deployment_hosts set lease_until = now() - make_interval(secs => ?) where pipeline_run_id = ?`,
    [seconds, id],
  )
  return { organizationId, deploymentId: id, agentId: agent.id }
}

test('expire-leases: a host that cannot be handled keeps no other waiting', async () => {
  const bad = await overdueHost(100)
  const good = await overdueHost(1)
  expect(await overdueLeases(harness.deps.store.platform, 1)).toEqual([bad])
  const logged: string[] = []
  const log = pino({}, { write: (line: string) => void logged.push(line) })
  const store: Store = {
    ...harness.deps.store,
    async tenant(organizationId, work) {
      if (organizationId === bad.organizationId) throw new Error('a name of the tenant')
      return harness.deps.store.tenant(organizationId, work)
    },
  }
  await expect(expireLeasesTask({ store, log }).run()).rejects.toThrow()
  const rowOf = async ({ deploymentId, agentId }: typeof good) =>
    hostRow(harness.deps, deploymentId, agentId)
  expect(await rowOf(good)).toMatchObject({ leaseUntil: null, leasesLost: 1, wanted: 'deploy' })
  expect(await rowOf(bad)).toMatchObject({ leasesLost: 0 })
  expect(logged.join('')).toContain(`"deploymentId":${bad.deploymentId}`)
  expect(logged.join('')).not.toContain('a name of the tenant')
})

test('expire-leases: a result that comes while the lease is ended counts once, or is refused', async () => {
  for (let round = 0; round < 5; round += 1) {
    const place = await agentPlace(harness)
    const agent = await makeAgent(harness, place)
    const deployment = await testDeployment(harness.deps, place.org.id, {
      workspaceId: place.workspaceId,
    })
    await want(harness.deps, place.org.id, { deploymentId: deployment.id, agentId: agent.id })
    const { fence } = (await agent.claim()).json().deployment
    await harness.deps.store.platform.raw(
      `update deployment_hosts set lease_until = now() + interval '30 milliseconds'
       where pipeline_run_id = ?`,
      [deployment.id],
    )
    const [answer] = await Promise.all([
      agent.call(`deployments/${deployment.id}/result`, {
        fence,
        ok: true,
        release: { digest: deployment.digest, runId: deployment.id },
      }),
      ...Array.from({ length: 4 }, async () => expireLeasesTask(harness.deps).run()),
    ])
    const row = await hostRow(harness.deps, deployment.id, agent.id)
    if (answer.statusCode === 200)
      expect(row).toMatchObject({ state: 'healthy', wanted: null, leaseUntil: null })
    else
      expect([answer.json().code, row.state, row.wanted]).toEqual([
        'lease_lost',
        'updating',
        'deploy',
      ])
  }
})
