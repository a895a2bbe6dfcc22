import { MockActivityEnvironment } from '@temporalio/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { nextApplicationStep } from '../../../activities/pipelines/next-application-step.ts'
import { withinBuildShare } from '../../../activities/pipelines/within-build-share.ts'
import type { ApplicationPhase } from '../../../domain/pipelines/application-state.ts'
import { organizationRunLimit } from '../../../domain/runs/run-state.ts'
import type { ApplicationStep } from '../../../workflows/pipelines/contract.ts'
import { applicationPipeline, applicationRun } from '../../harness/application-run.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { noBuilds } from '../../harness/no-builds.ts'

let harness: Harness
beforeAll(async () => {
  // Without a worker the phases stay as they are written here.
  harness = await createHarness()
})
afterAll(async () => harness.close())

/** A queued run of an organization of its own, and others of the organization. */
async function waitingRun() {
  const { deps } = harness
  const { id: organizationId } = await harness.organization()
  const pipelineId = await applicationPipeline(deps, organizationId)
  const run = { pipelineId, origin: 'push', authorUserId: null, branch: 'main' } as const
  const { id: runId } = await applicationRun(deps, organizationId, run)
  let number = 1
  const waitOf = async (step: () => Promise<ApplicationStep | undefined>): Promise<number> => {
    const answer: ApplicationStep | undefined = await new MockActivityEnvironment({
      attempt: 1,
    }).run(step)
    expect(answer).toMatchObject({ next: 'wait' })
    return answer?.next === 'wait' ? answer.timeoutMs : Number.NaN
  }
  const noSlot = { take: async () => undefined, forget: () => undefined }
  const builds = { ...noBuilds.builds, slotShares: noSlot }
  return {
    async others(count: number, phase: ApplicationPhase) {
      await deps.store.platform.raw(
        `with r as (insert into pipeline_runs (organization_id, pipeline_id, number)
           select :organizationId, :pipelineId, :number + n from generate_series(1, :count) n returning id)
         insert into application_runs (pipeline_run_id, organization_id, pipeline_id, origin, phase)
           select id, :organizationId, :pipelineId, 'push', :phase from r`,
        { organizationId, pipelineId, number, count, phase },
      )
      number += count
    },
    place: async () => waitOf(async () => nextApplicationStep(deps)({ runId })),
    slot: async () =>
      waitOf(async () =>
        withinBuildShare({ ...deps, builds }, { organizationId, runId }, async () => undefined),
      ),
  }
}

test('for a place: a short line looks every five seconds, one of thousands about ten times a second together', async () => {
  const run = await waitingRun()
  await run.others(organizationRunLimit, 'sourcing')
  expect(await run.place()).toBe(5_000)
  await run.others(199, 'queued')
  const ofHundreds = await run.place()
  expect(ofHundreds).toBeGreaterThanOrEqual(15_000)
  expect(ofHundreds).toBeLessThanOrEqual(20_000)
  await run.others(2_000, 'queued')
  const ofThousands = await run.place()
  expect(ofThousands).toBeGreaterThanOrEqual(45_000)
  expect(ofThousands).toBeLessThanOrEqual(60_000)
})

test('for a slot for builds likewise; the line of one organization lengthens no wait of another', async () => {
  const run = await waitingRun()
  const other = await waitingRun()
  expect(await run.slot()).toBe(10_000)
  await run.others(2_000, 'queued')
  const ofThousands = await run.slot()
  expect(ofThousands).toBeGreaterThanOrEqual(45_000)
  expect(ofThousands).toBeLessThanOrEqual(60_000)
  expect(await other.slot()).toBe(10_000)
})
