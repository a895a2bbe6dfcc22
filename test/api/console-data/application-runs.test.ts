import { afterAll, beforeAll, expect, test } from 'vitest'
import { applicationPipeline, applicationRun } from '../../harness/application-run.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { deployWorld } from '../../harness/deploy/deploy-world.ts'
import type { TestUser } from '../../harness/test-user.ts'
import { runInPhase } from '../workspaces/run-in-phase.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness({ mail: 'unsent' })
})
afterAll(async () => harness.close())

const read = async (user: TestUser) => {
  const answer = await user.get('/api/console/data')
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json()
}
const idsIn = (runs: Array<{ id: number }>) => runs.map(({ id }) => id)

test('200: a release that waits is shown to who may approve it, beside runs of workspaces, the oldest first', async () => {
  const world = await deployWorld(harness, { criticality: 'production' })
  const { org, owner, pipelineId, workspaceId } = world
  const [author, second] = [await org.user('Deployer'), await org.user('Deployer')]
  const release = await world.built({ by: author })
  const place = { organizationId: org.id, workspaceId, authorUserId: author.id }
  const applied = await runInPhase(harness.deps, place, 'awaiting_approval')
  const data = await read(second)
  expect(idsIn(data.waitingForMe)).toEqual([release.id, applied.id])
  expect(data.counts.runs).toEqual({ live: 2, waiting: 2, failedLastDay: 0 })
  expect(idsIn(data.lastRuns)).toEqual([applied.id, release.id])
  const { name } = (await owner.get(`/api/pipelines/${pipelineId}`)).json().pipeline
  const { workspace } = (await owner.get(`/api/workspaces/${workspaceId}`)).json()
  expect(data.waitingForMe[0]).toEqual({
    id: release.id,
    number: 1,
    pipelineId,
    pipelineName: name,
    workspaceId,
    workspaceName: workspace.name,
    criticality: 'production',
    kind: 'application',
    destroy: false,
    state: 'running',
    reason: null,
    queued: false,
    awaitingApproval: true,
    awaitingPlanApproval: false,
    author: author.email,
    createdAt: expect.any(String),
    endedAt: null,
  })
  expect((await read(author)).waitingForMe).toEqual([])
  expect((await read(await org.user('Viewer'))).waitingForMe).toEqual([])
  const stranger = await (await harness.organization()).user('Owner')
  expect(await read(stranger)).toMatchObject({
    counts: { runs: { live: 0, waiting: 0, failedLastDay: 0 } },
    lastRuns: [],
    waitingForMe: [],
  })
})

test('200: of a pipeline without a target: its newest runs, and those that failed in the last day', async () => {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const pipelineId = await applicationPipeline(harness.deps, org.id)
  const ids: number[] = []
  for (let n = 0; n < 12; n += 1) {
    const run = { pipelineId, origin: 'push', authorUserId: null } as const
    const { id } = await applicationRun(harness.deps, org.id, run)
    ids.unshift(id)
    if (n === 11) continue
    const endedAt = new Date(Date.now() - (n < 2 ? 25 : 1) * 3_600_000)
    await harness.deps.store
      .platform('application_runs')
      .where({ pipelineRunId: id })
      // What a person decided is no failure.
      .update({ phase: 'failed', endedAt, reason: n === 10 ? 'rejected' : 'build_errored' })
  }
  const { counts, lastRuns } = await read(owner)
  expect(counts).toEqual({
    workspaces: 0,
    pipelines: 1,
    runs: { live: 1, waiting: 0, failedLastDay: 8 },
  })
  expect(idsIn(lastRuns)).toEqual(ids.slice(0, 10))
  expect(lastRuns[0]).toMatchObject({
    workspaceId: null,
    workspaceName: null,
    criticality: 'standard',
    queued: true,
    author: 'a push',
  })
})
