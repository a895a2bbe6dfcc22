import { ApplicationFailure } from '@temporalio/common'
import { MockActivityEnvironment } from '@temporalio/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Deps } from '../../activities/deps.ts'
import { createActivities } from '../../activities/index.ts'
import { runnersFor } from '../../gateways/runner/runners-for.ts'
import type { RunnerPool } from '../../gateways/runner/runner-pool.ts'
import { sandboxFor } from '../../gateways/sandbox/sandbox-for.ts'
import type { OwnedSandbox } from '../../gateways/sandbox/workbench.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { startRun } from '../harness/runs.ts'
import type { TestOrganization, TestWorkspace } from '../harness/test-organization.ts'
import type { TestUser } from '../harness/test-user.ts'
import { attemptOfAnother as insertAttempt, fenceOf as readFence } from './attempt-of-another.ts'
import { rowOf } from './run-rows.ts'
import { noBillsNorBuilds } from '../harness/no-builds.ts'

// Temporal delivers an activity at least once. Without a worker, each activity is called here as
// Temporal calls it, and again with the same input. The second call must change nothing.
let harness: Harness
let sandbox: OwnedSandbox
let runners: RunnerPool
let org: TestOrganization
let owner: TestUser
let second: TestUser
let opened = 0
let workflow: 'running' | 'closed' | 'missing' = 'running'
beforeAll(async () => {
  harness = await createHarness()
  const { config, log } = harness.deps
  sandbox = await sandboxFor(config, log, { slots: 4, programs: ['tofu', 'opa', 'sh'] })
  runners = runnersFor(config, sandbox)
  org = await harness.organization()
  owner = await org.user('Owner')
  second = await org.user('Deployer')
})
afterAll(async () => {
  await runners.close()
  await sandbox.close()
  await harness.close()
})

const activities = (worker = 'worker-a') => {
  const deps: Deps = {
    ...harness.deps,
    sandbox: {
      ...sandbox,
      lend: async (request) => {
        opened += 1
        return sandbox.lend(request)
      },
    },
    runners,
    planJsonBytes: 32 * 1024 ** 2,
    ...noBillsNorBuilds,
    worker,
    engineVersion: '1.12.6',
    openCloud: async () => {
      throw new Error('A run opens no cloud.')
    },
    publicOrigin: 'http://127.0.0.1',
    cliConfig: undefined,
    workflowState: async () => workflow,
    slotShares: { take: async () => () => undefined, forget: () => undefined },
    stopping: new AbortController().signal,
  }
  const { control, tofu } = createActivities(deps)
  return { ...control, ...tofu }
}
type Activities = ReturnType<typeof activities>

/** Runs an activity as one delivery by Temporal. */
const deliver = async <K extends keyof Activities>(
  name: K,
  ...args: Parameters<Activities[K]>
): Promise<Awaited<ReturnType<Activities[K]>>> => {
  const environment = new MockActivityEnvironment({ attempt: 1 })
  // The union of all activities' types cannot be called. `name` and `args` belong together.
  const activity = activities()[name] as (...given: unknown[]) => Promise<unknown>
  const result = await environment.run(activity, ...args)
  return result as Awaited<ReturnType<Activities[K]>>
}

const tables = [
  'workspace_runs',
  'pipeline_runs',
  'stages',
  'plans',
  'plan_changes',
  'approvals',
  'apply_attempts',
  'log_lines',
  'state_versions',
  'workspace_locks',
  'workspaces',
  'tokens',
  'outbox',
  'audit_entries',
]
/** Every row that an activity could write, as text. */
const everything = async (): Promise<string[]> =>
  Promise.all(
    tables.map(async (table) => {
      const { rows } = await harness.deps.store.platform.raw(
        `select coalesce(jsonb_agg(to_jsonb(t) order by to_jsonb(t)::text), '[]')::text as all from ${table} t`,
      )
      return `${table}: ${rows[0].all}`
    }),
  )

/** Repeats a delivery, and expects the same result, no new program and no changed row. */
const twiceIsOnce = async (again: () => Promise<unknown>, first: unknown) => {
  const [before, openedBefore] = [await everything(), opened]
  expect(await again()).toEqual(first)
  expect(opened, 'no program was begun').toBe(openedBefore)
  const after = await everything()
  for (const [index, table] of after.entries()) expect(table).toBe(before[index])
}

const fenceOf = async (id: number) => readFence(harness, id)
const attemptOfAnother = async (id: number, beatAt: Date) => insertAttempt(harness, id, beatAt)

const begin = async (options: Parameters<TestOrganization['workspace']>[0] = {}) => {
  const workspace = await org.workspace({ by: owner, ...options })
  const { id } = await startRun(owner, workspace)
  return { workspace, run: { runId: id } }
}
const approve = async (workspace: TestWorkspace, id: number) =>
  second.post(`/api/pipelines/${workspace.pipelineId}/runs/${id}/approve`, {})
const set = async (table: string, where: object, change: object) =>
  harness.deps.store.platform(table).where(where).update(change)

describe('delivered twice', () => {
  test('planRun and nextStep: one plan, one step', async () => {
    const { run } = await begin()
    expect(await deliver('nextStep', run)).toEqual({ next: 'plan' })
    await twiceIsOnce(() => deliver('nextStep', run), { next: 'plan' })
    expect(await deliver('planRun', run)).toEqual({ next: 'apply' })
    await twiceIsOnce(() => deliver('planRun', run), { next: 'apply' })
  })

  test('planRun and nextStep of a production run whose approval has expired: both end it', async () => {
    const { run } = await begin({ criticality: 'production' })
    expect(await deliver('planRun', run)).toMatchObject({ next: 'wait' })
    await set('workspace_runs', { id: run.runId }, { approvalExpiresAt: new Date(0) })
    expect(await deliver('nextStep', run)).toEqual({ next: 'over' })
    expect((await rowOf(harness, run.runId)).reason).toBe('approval_expired')
    await twiceIsOnce(() => deliver('nextStep', run), { next: 'over' })
    await twiceIsOnce(() => deliver('planRun', run), { next: 'over' })
  })

  test('applyRun: the second delivery does not run', async () => {
    const { workspace, run } = await begin({ criticality: 'production' })
    await deliver('planRun', run)
    expect((await approve(workspace, run.runId)).statusCode).toBe(200)
    const openedBefore = opened
    const answers = await Promise.all([deliver('applyRun', run), deliver('applyRun', run)])
    expect(opened - openedBefore).toBe(1)
    expect(answers).toContainEqual({ next: 'over' })
    expect(await rowOf(harness, run.runId)).toMatchObject({ phase: 'succeeded', attempts: 1 })
    await twiceIsOnce(() => deliver('applyRun', run), { next: 'over' })
    await twiceIsOnce(() => deliver('reconcileApply', run), { next: 'over' })
  })

  test('applyRun of a run that another worker applies starts no program', async () => {
    const { run } = await begin()
    await deliver('planRun', run)
    await attemptOfAnother(run.runId, new Date())
    await twiceIsOnce(() => deliver('applyRun', run), { next: 'reconcile' })
  })

  test('reconcileApply: fences and ends the run once, and never applies it', async () => {
    const { run } = await begin()
    await deliver('planRun', run)
    await attemptOfAnother(run.runId, new Date(0))
    const openedBefore = opened
    expect(await deliver('reconcileApply', run)).toEqual({ next: 'over' })
    const row = await rowOf(harness, run.runId)
    expect(row).toMatchObject({ reason: 'runner_lost', needsRefresh: true, locks: 0 })
    await twiceIsOnce(() => deliver('reconcileApply', run), { next: 'over' })
    expect(opened).toBe(openedBefore)
  })

  test('reconcileApply: sends heartbeats while it waits for an attempt that may live', async () => {
    const { run } = await begin()
    await deliver('planRun', run)
    await attemptOfAnother(run.runId, new Date())
    const environment = new MockActivityEnvironment({ attempt: 1 })
    const beat = new Promise((resolve) => {
      environment.once('heartbeat', resolve)
    })
    const step = environment.run(activities().reconcileApply, run)
    await beat
    await set('apply_attempts', { workspaceRunId: run.runId }, { beatAt: new Date(0) })
    expect(await step).toEqual({ next: 'over' })
  })

  test('failRun: ends a planning run once, and never an applying run', async () => {
    const { run } = await begin()
    const failed = { ...run, reason: 'runner_lost' as const }
    await deliver('failRun', failed)
    await twiceIsOnce(() => deliver('failRun', failed), undefined)

    const { run: other } = await begin()
    await deliver('planRun', other)
    await attemptOfAnother(other.runId, new Date())
    await twiceIsOnce(() => deliver('failRun', { ...other, reason: 'runner_lost' }), undefined)
  })

  test('an apply that was canceled before its program started is not started again', async () => {
    const { workspace, run } = await begin()
    await deliver('planRun', run)
    await attemptOfAnother(run.runId, new Date(0))
    await set('apply_attempts', { workspaceRunId: run.runId }, { spawnedAt: null })
    const cancel = `/api/pipelines/${workspace.pipelineId}/runs/${run.runId}/cancel`
    expect((await owner.post(cancel)).statusCode).toBe(200)
    expect(await deliver('reconcileApply', run)).toEqual({ next: 'over' })
    expect(await rowOf(harness, run.runId)).toMatchObject({
      phase: 'canceled',
      reason: 'canceled_by_user',
      needsRefresh: false,
      locks: 0,
    })
    await twiceIsOnce(() => deliver('reconcileApply', run), { next: 'over' })
  })

  test('not_found: a run that does not exist is refused without a retry', async () => {
    const thrown = await deliver('nextStep', { runId: 2_000_000_000 }).catch((error) => error)
    expect(thrown).toBeInstanceOf(ApplicationFailure)
    expect([thrown.type, thrown.nonRetryable]).toEqual(['not_found', true])
  })
})

describe('reconcileRuns', () => {
  const old = { startedAt: new Date(Date.now() - 60_000) }
  /** Ends all runs but this one, so that the reconciler finds only this run. */
  const alone = async (workspaceRunId: number) => {
    await harness.deps.store
      .platform('workspace_runs')
      .whereNot({ id: workspaceRunId })
      .update({ phase: 'failed', endedAt: new Date() })
    await set('workspace_runs', { id: workspaceRunId }, old)
  }
  const told = () => set('outbox', {}, { doneAt: new Date() })

  test('leaves a run alone that has a workflow or an outbox entry', async () => {
    const { run } = await begin()
    await alone(run.runId)
    workflow = 'missing'
    await twiceIsOnce(() => deliver('reconcileRuns'), { looked: 1, settled: 0 })
    await told()
    workflow = 'running'
    await twiceIsOnce(() => deliver('reconcileRuns'), { looked: 1, settled: 0 })
  })

  test('queues one start for a run that Temporal does not know', async () => {
    const { run } = await begin()
    await alone(run.runId)
    await told()
    workflow = 'missing'
    expect(await deliver('reconcileRuns')).toEqual({ looked: 1, settled: 1 })
    await twiceIsOnce(() => deliver('reconcileRuns'), { looked: 1, settled: 0 })
  })

  test('fails a run whose workflow is closed, once its program is gone', async () => {
    const { run } = await begin()
    await deliver('planRun', run)
    await attemptOfAnother(run.runId, new Date())
    await alone(run.runId)
    await told()
    workflow = 'closed'
    const { fence } = await fenceOf(run.runId)
    expect(await deliver('reconcileRuns')).toEqual({ looked: 1, settled: 0 })
    expect(await rowOf(harness, run.runId)).toMatchObject({ phase: 'applying', needsRefresh: true })
    expect((await fenceOf(run.runId)).fence).toBe(fence + 1)
    await twiceIsOnce(() => deliver('reconcileRuns'), { looked: 1, settled: 0 })

    await set('apply_attempts', { workspaceRunId: run.runId }, { beatAt: new Date(0) })
    expect(await deliver('reconcileRuns')).toEqual({ looked: 1, settled: 1 })
    const row = await rowOf(harness, run.runId)
    expect(row).toMatchObject({ phase: 'failed', reason: 'runner_lost', locks: 0 })
    expect(row.attemptEndedAt).not.toBeNull()
    await twiceIsOnce(() => deliver('reconcileRuns'), { looked: 0, settled: 0 })
  })
})
