import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { releases } from '../../../store/runs/releases.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import {
  deployActivities,
  deployWorld,
  type DeployWorld,
} from '../../harness/deploy/deploy-world.ts'
import { runAt, type ApplicationRunOfTest } from '../../harness/git/application-of.ts'
import type { TestUser } from '../../harness/test-user.ts'

// No worker: the test calls the activities, and agents answer through the store.
describe('a rollback to what was deployed while the target was no production workspace', () => {
  let harness: Harness
  let world: DeployWorld
  let activities: ReturnType<typeof deployActivities>
  let writer: TestUser
  let second: TestUser
  let old: ApplicationRunOfTest
  const commits = [{ sha: 'a'.repeat(40), author: 'Ann', message: 'more' }]
  const platform = () => harness.deps.store.platform
  beforeAll(async () => {
    harness = await createHarness()
    activities = deployActivities(harness)
  })
  afterAll(async () => harness?.close())
  beforeEach(async () => {
    world = await deployWorld(harness)
    await world.hosts.add('a')
    writer = await world.org.user('Deployer')
    second = await world.org.user('Deployer')
    old = await world.built({ artifact: 'old' })
    await platform()('application_runs')
      .where({ pipelineRunId: old.id })
      .update({ authorUserIds: [writer.id], commits: JSON.stringify(commits) })
    await activities.deploy(old, world.hosts)
    expect(await old.shown()).toMatchObject({ state: 'succeeded' })
  })
  const becomeProduction = async () =>
    platform()('workspaces').where({ id: world.workspaceId }).update({ criticality: 'production' })
  const back = async (): Promise<ApplicationRunOfTest> => {
    const answer = await world.owner.post(`${old.url}/rollback`, {})
    expect(answer.statusCode, answer.body).toBe(201)
    return runAt(world.owner, world.pipelineId, answer.json().run.id)
  }
  const refusalOf = async (by: TestUser, run: ApplicationRunOfTest) => {
    const answer = await by.post(`${run.url}/approve`, {})
    return [answer.statusCode, answer.json().code]
  }
  const rowOf = async ({ id }: { id: number }) =>
    platform()('application_runs').where({ pipelineRunId: id }).first()

  test('403: who wrote it, until it was deployed with an approval', async () => {
    await becomeProduction()
    const next = await world.built({ artifact: 'next' })
    expect((await second.post(`${next.url}/approve`, {})).statusCode).toBe(200)
    await activities.deploy(next, world.hosts)
    const run = await back()
    expect(await rowOf(run)).toMatchObject({
      authorUserIds: expect.arrayContaining([writer.id]),
      commits,
    })
    expect(await refusalOf(writer, run)).toEqual([403, 'approver_is_author'])
    expect((await second.post(`${run.url}/approve`, {})).statusCode).toBe(200)
    await activities.deploy(run, world.hosts)
    expect(await run.shown()).toMatchObject({ state: 'succeeded' })
    const again = await back()
    expect(await rowOf(again)).toMatchObject({ authorUserIds: [], commits: [] })
    expect((await writer.post(`${again.url}/approve`, {})).statusCode).toBe(200)
  })

  test('403: also where the target becomes a production workspace before the rollback begins', async () => {
    const run = await back()
    expect(await rowOf(run)).toMatchObject({ commits: [] })
    await becomeProduction()
    await activities.open(run.id)
    expect(await run.shown()).toMatchObject({ awaitingApproval: true })
    expect(await refusalOf(writer, run)).toEqual([403, 'approver_is_author'])
  })

  test('an approval of the run of the workspace counts, and a confirmation does not', async () => {
    const started = await world.owner.post(`/api/workspaces/${world.workspaceId}/apply`)
    expect(started.statusCode, started.body).toBe(201)
    const { workspaceId } = world
    const { id } = await platform()('workspace_runs').where({ workspaceId }).first('id')
    await platform()('deployments')
      .where({ pipelineRunId: old.id })
      .update({ via: 'workspace', workspaceRunId: id })
    await platform()('approvals').insert({
      organizationId: world.org.id,
      workspaceRunId: id,
      userId: second.id,
      decision: 'approved',
      planDigest: `sha256:${'0'.repeat(64)}`,
    })
    const wasApproved = async (approvalReasons: string[]) => {
      await platform()('workspace_runs').where({ id }).update({ approvalReasons })
      return harness.deps.store.tenant(world.org.id, async (tenant) =>
        releases(tenant).wasApproved(
          { pipelineId: world.pipelineId, artifactRunId: old.id },
          workspaceId,
        ),
      )
    }
    expect(await wasApproved(['confirm'])).toBe(false)
    expect(await wasApproved(['production'])).toBe(true)
  })
})
