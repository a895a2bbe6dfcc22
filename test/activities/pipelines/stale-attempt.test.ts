import { MockActivityEnvironment } from '@temporalio/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describeArtifact } from '../../../activities/pipelines/describe-artifact.ts'
import { attemptMask } from '../../../activities/pipelines/attempt-mask.ts'
import type { Attempt } from '../../../activities/pipelines/begin-attempt.ts'
import { endAttempt } from '../../../activities/pipelines/end-attempt.ts'
import { RunFault } from '../../../activities/pipelines/run-fault.ts'
import { openStageLog } from '../../../activities/runs/stage-log.ts'
import type { ArtifactStore } from '../../../gateways/artifacts/artifact-store.ts'
import { artifacts } from '../../../store/runs/artifacts.ts'
import { sourceOfRun } from '../../../store/runs/source-of-run.ts'
import { buildDeps } from '../../harness/build-deps.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { deployWorld } from '../../harness/deploy/deploy-world.ts'

// A worker that lost its link to Temporal goes on with a step that Temporal gave to another worker.
let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

const platform = (table: string) => harness.deps.store.platform(table)

/** A run whose build was begun twice, and one of the two attempts. */
const building = async () => {
  const world = await deployWorld(harness)
  const { org } = world
  const run = await world.built({ sign: false })
  const row = () => platform('application_runs').where({ pipelineRunId: run.id })
  await row().update({ buildsBegun: 2 })
  const { id: organizationId } = org
  const source = await harness.deps.store.tenant(organizationId, async (tenant) =>
    sourceOfRun(tenant, run.id).get(),
  )
  const { store } = harness.deps
  const end = async (begun: number, error: Error, cause?: 'lost') => {
    const mask = attemptMask([], organizationId)
    const attempt: Attempt = {
      organizationId,
      runId: run.id,
      step: 'build',
      begun,
      source,
      connection: undefined,
      log: openStageLog({ store, organizationId, stageId: source.stageIds.build }),
      secrets: [],
      mask,
      watch: {
        signal: new AbortController().signal,
        cause: () => cause,
        close: () => undefined,
      },
    }
    try {
      await endAttempt(harness.deps, attempt, error)
    } finally {
      await mask.close()
    }
  }
  return { run, row, end }
}

describe('an attempt of a build, after which another one was begun', () => {
  test('ends no run when it fails, and says nothing; the newest does', async () => {
    const { run, row, end } = await building()
    const fault = new RunFault('build_errored', 'The step make ended with 1.')
    await end(1, fault)
    expect(await row().first('phase')).toEqual({ phase: 'building' })
    expect(await run.lines('build')).toEqual([])
    await end(2, fault)
    expect(await row().first('phase', 'reason')).toEqual({
      phase: 'failed',
      reason: 'build_errored',
    })
    expect(await run.lines('build')).toEqual(['The step make ended with 1.'])
  })

  test('takes nothing from the count of attempts, by which the newest sees that it is', async () => {
    const { row, end } = await building()
    const lost = new Error('this worker stops')
    await expect(end(1, lost, 'lost')).rejects.toBe(lost)
    expect(await row().first('buildsBegun')).toEqual({ buildsBegun: 2 })
    await expect(end(2, lost, 'lost')).rejects.toBe(lost)
    expect(await row().first('buildsBegun')).toEqual({ buildsBegun: 1 })
  })
})

test('a bill of materials that an earlier attempt could not make ends no run while a later one makes it', async () => {
  const world = await deployWorld(harness)
  const { org, pipelineId } = world
  const { id: runId } = await world.built({ sign: false })
  await platform('pipelines').where({ id: pipelineId }).update({ sbom: 'required' })
  await platform('artifacts').where({ pipelineRunId: runId }).update({ describedAt: null })
  const describeWith = async (read: ArtifactStore['read']) => {
    const { root: _, ...builds } = buildDeps({
      lend: async () => {
        throw new Error('no archive was there')
      },
    })
    const deps = {
      ...harness.deps,
      builds: { ...builds, describes: true, artifacts: { ...builds.artifacts, read } },
      stopping: new AbortController().signal,
    }
    await new MockActivityEnvironment({ attempt: 1 }).run(describeArtifact(deps), { runId })
    return platform('application_runs').where({ pipelineRunId: runId }).first('phase', 'reason')
  }
  const stale = await describeWith(async () => {
    await harness.deps.store.tenant(org.id, async (tenant) =>
      artifacts(tenant).beginDescription(runId),
    )
    return undefined
  })
  expect(stale).toEqual({ phase: 'building', reason: null })
  expect(await describeWith(async () => undefined)).toEqual({
    phase: 'failed',
    reason: 'build_errored',
  })
})
