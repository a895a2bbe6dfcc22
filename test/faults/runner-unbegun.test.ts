import { ApplicationFailure } from '@temporalio/common'
import { MockActivityEnvironment } from '@temporalio/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createActivities } from '../../activities/index.ts'
import { runnersFor } from '../../gateways/runner/runners-for.ts'
import type { RunnerPool } from '../../gateways/runner/runner-pool.ts'
import { sandboxFor } from '../../gateways/sandbox/sandbox-for.ts'
import type { OwnedSandbox } from '../../gateways/sandbox/workbench.ts'
import { startOddRunner } from '../gateways/runner/start-odd-runner.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { startRun } from '../harness/runs.ts'
import { rowOf } from './run-rows.ts'
import { noBills } from '../harness/finops/no-bills.ts'
import { noBuilds } from '../harness/no-builds.ts'

let harness: Harness
let sandbox: OwnedSandbox
let runners: RunnerPool
beforeAll(async () => {
  harness = await createHarness()
  const { config, log } = harness.deps
  sandbox = await sandboxFor(config, log, { slots: 2, programs: ['tofu', 'opa', 'sh'] })
  runners = runnersFor(config, sandbox)
})
afterAll(async () => {
  await runners.close()
  await sandbox.close()
  await harness.close()
})

const activitiesWith = (pool: RunnerPool) => {
  const { store, keyring, changes, log, outbound } = harness.deps
  return createActivities({
    store,
    keyring,
    changes,
    log,
    outbound,
    openCloud: async () => {
      throw new Error('A run opens no cloud.')
    },
    sandbox,
    runners: pool,
    planJsonBytes: 32 * 1024 ** 2,
    ...noBills,
    ...noBuilds,
    worker: 'worker-a',
    engineVersion: '1.12.6',
    publicOrigin: 'http://127.0.0.1',
    cliConfig: undefined,
    workflowState: async () => 'running',
    slotShares: { take: async () => () => undefined, forget: () => undefined },
    stopping: new AbortController().signal,
  }).tofu
}

test('a runner sends a state before its apply has started: it is killed, and the state is not kept', async () => {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const { id: workspaceRunId } = await startRun(owner, await org.workspace({ by: owner }))
  const environment = () => new MockActivityEnvironment({ attempt: 1 })
  const { planRun } = activitiesWith(runners)
  expect(await environment().run(planRun, { runId: workspaceRunId })).toEqual({ next: 'apply' })

  const odd = startOddRunner('save-unbegun')
  const { applyRun } = activitiesWith({ ...runners, take: () => odd })
  const thrown = await environment()
    .run(applyRun, { runId: workspaceRunId })
    .catch((error: unknown) => error)
  expect(thrown).toBeInstanceOf(ApplicationFailure)
  expect((await odd.ended).how).toBe('killed')
  const row = await rowOf(harness, workspaceRunId)
  expect(row).toMatchObject({ phase: 'apply_queued', attempts: 0, quarantined: 0 })
})

test('a runner that reports the success of an apply it never asked for settles nothing', async () => {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  // An apply that may leave the state as it was: no saved state would tell that it was not done.
  const files = { 'main.tf': 'resource "terraform_data" "same" { input = length(timestamp()) }\n' }
  const workspace = await org.workspace({ by: owner, files })
  const environment = () => new MockActivityEnvironment({ attempt: 1 })
  const genuine = activitiesWith(runners)
  const first = { runId: (await startRun(owner, workspace)).id }
  await environment().run(genuine.planRun, first)
  expect(await environment().run(genuine.applyRun, first)).toEqual({ next: 'over' })

  // Who changed it is an author of the next run, until an apply has settled that.
  const variable = { key: 'COLOR', kind: 'env', value: 'blue', sensitive: false }
  expect((await owner.post(`${workspace.url}/variables`, variable)).statusCode).toBe(201)
  const { id: workspaceRunId } = await startRun(owner, workspace)
  expect(await environment().run(genuine.planRun, { runId: workspaceRunId })).toEqual({
    next: 'apply',
  })
  const unsettled = async () => {
    const { rows } = await harness.deps.store.platform.raw(
      'select count(*)::int as count from workspace_authorship where applied_at is null',
    )
    return rows[0].count
  }
  const before = await unsettled()
  expect(before).toBeGreaterThan(0)
  const odd = startOddRunner('apply-unbegun')
  const { applyRun } = activitiesWith({ ...runners, take: () => odd })
  await expect(environment().run(applyRun, { runId: workspaceRunId })).rejects.toThrow()
  expect(await rowOf(harness, workspaceRunId)).toMatchObject({ phase: 'apply_queued', attempts: 0 })
  expect(await unsettled()).toBe(before)
})
