import { afterAll, beforeAll, expect, test } from 'vitest'
import { endApplicationRun } from '../../app/runs/end-application-run.ts'
import { systemActor } from '../../store/audit/audit-log.ts'
import { moveApplication } from '../../store/runs/move-application.ts'
import { applicationPipeline, applicationRun } from '../harness/application-run.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

test('of builds that end at once, and a cancel, one ends the run, with one entry', async () => {
  const { deps } = harness
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const pipelineId = await applicationPipeline(deps, org.id)
  const { id: runId } = await applicationRun(deps, org.id, {
    pipelineId,
    origin: 'person',
    authorUserId: owner.id,
  })
  const move = async (from: 'queued' | 'sourcing', to: 'sourcing' | 'building') =>
    deps.store.tenant(org.id, async (tenant) => moveApplication(tenant, runId, { from, to }))
  const moved = await Promise.all([1, 2, 3].map(async () => move('queued', 'sourcing')))
  expect(moved.filter(Boolean)).toHaveLength(1)
  expect(await move('sourcing', 'building')).toBe(true)
  expect(await move('sourcing', 'building')).toBe(false)
  const end = async () =>
    deps.store.tenant(org.id, async (tenant) =>
      endApplicationRun(
        tenant,
        { runId, actor: systemActor, from: ['building'] },
        { phase: 'succeeded', by: 'release' },
      ),
    )
  const url = `/api/pipelines/${pipelineId}/runs/${runId}`
  const cancel = async () => (await owner.post(`${url}/cancel`, {})).statusCode === 200
  const ended = await Promise.all([end(), end(), cancel(), end()])
  expect(ended.filter(Boolean)).toHaveLength(1)
  const { entries } = (await owner.get('/api/audit')).json()
  const ends = entries.filter(({ event }: { event: string }) =>
    /^pipeline\.run_(?:succeeded|canceled)$/.test(event),
  )
  expect(ends).toHaveLength(1)
})
