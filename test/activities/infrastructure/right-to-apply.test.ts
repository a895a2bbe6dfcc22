import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stepOfRun } from '../../../activities/infrastructure/next-step.ts'
import { newToken } from '../../../domain/access/credentials.ts'
import type { RunPhase } from '../../../domain/runs/run-state.ts'
import { beginPlan } from '../../../store/infrastructure/begin-plan.ts'
import { takeApply } from '../../../store/infrastructure/take-apply.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { startRun } from '../../harness/runs.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

/** A run that no worker picks up, in this phase. */
async function runIn(phase: RunPhase, change: object = {}) {
  const org = await harness.organization()
  const [owner, second] = [await org.user('Owner'), await org.user('Deployer')]
  const workspace = await org.workspace({ by: owner, criticality: 'production' })
  const { id } = await startRun(owner, workspace)
  const { store } = harness.deps
  const { platform } = store
  await platform('workspace_runs')
    .where({ id })
    .update({ phase, ...change })
  const rows = async (table: string, where: object) => platform(table).where(where)
  return {
    org,
    workspace,
    id,
    platform,
    beginPlan: async (organizationId = org.id) => {
      const { hash, prefix } = newToken('run')
      const planTry = { workspaceRunId: id, engineRunId: 'engine', hash, prefix, hours: 1 }
      return beginPlan(store, organizationId, planTry)
    },
    takeApply: async (organizationId = org.id) => {
      const { hash, prefix } = newToken('run')
      const right = {
        workspaceRunId: id,
        workspaceId: workspace.id,
        worker: 'one',
        hash,
        prefix,
        hours: 5,
      }
      return store.tenant(organizationId, async (tenant) => takeApply(tenant, right))
    },
    approve: async () =>
      second.post(`/api/pipelines/${workspace.pipelineId}/runs/${id}/approve`, {}),
    fence: async () => (await rows('workspaces', { id: workspace.id }))[0].fence,
    phase: async () => (await rows('workspace_runs', { id }))[0].phase,
    tokens: async () => rows('tokens', { workspaceRunId: id }),
    attempts: async () => rows('apply_attempts', { workspaceRunId: id }),
    locks: async () => rows('workspace_locks', { workspaceId: workspace.id }),
  }
}

describe('a plan is begun', () => {
  test('once a token: under the fencing number of its workspace', async () => {
    const run = await runIn('planning')
    await run.platform('workspaces').where({ id: run.workspace.id }).update({ fence: 7 })
    expect(await run.beginPlan()).toBe(true)
    expect(await run.tokens()).toMatchObject([{ runPhase: 'plan', kind: 'run', fence: 7 }])
  })

  test.each<[string, RunPhase, object]>([
    ['was canceled', 'planning', { cancelRequestedAt: new Date() }],
    ['waits for approval', 'awaiting_approval', {}],
    ['is over', 'canceled', {}],
  ])('not of a run that %s', async (_why, phase, change) => {
    const run = await runIn(phase, change)
    expect(await run.beginPlan()).toBe(false)
    expect(await run.tokens()).toEqual([])
  })

  test('not of another organization’s run', async () => {
    const run = await runIn('planning')
    const other = await harness.organization()
    expect(await run.beginPlan(other.id)).toBe(false)
    expect(await run.tokens()).toEqual([])
  })
})

describe('the right to apply', () => {
  test('is a new fencing number, an attempt, the lock and a token in place of the plan’s', async () => {
    const run = await runIn('planning')
    await run.beginPlan()
    await run.platform('workspace_runs').where({ id: run.id }).update({ phase: 'apply_queued' })
    expect(await run.takeApply()).toBe(1)
    expect(await run.phase()).toBe('applying')
    expect(await run.fence()).toBe(1)
    expect(await run.attempts()).toMatchObject([{ fence: 1, worker: 'one', endedAt: null }])
    expect(await run.locks()).toMatchObject([{ kind: 'run', workspaceRunId: run.id }])
    const [plan, apply] = (await run.tokens()).toSorted((a, b) => a.id - b.id)
    expect(plan).toMatchObject({ runPhase: 'plan', revokedAt: expect.any(Date) })
    expect(apply).toMatchObject({ runPhase: 'apply', fence: 1, revokedAt: null })
  })

  test('of two that take it at once one gets it', async () => {
    const run = await runIn('apply_queued')
    const taken = await Promise.allSettled([run.takeApply(), run.takeApply()])
    const fences = taken.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    expect(fences.filter((fence) => fence !== undefined)).toEqual([1])
    expect(await run.attempts()).toHaveLength(1)
  })

  const nothingTaken = async (run: Awaited<ReturnType<typeof runIn>>) => {
    expect(await run.fence()).toBe(0)
    expect(await run.tokens()).toEqual([])
  }

  test.each<RunPhase>(['planning', 'awaiting_approval', 'applying', 'failed'])(
    'is not there in %s',
    async (phase) => {
      const run = await runIn(phase)
      expect(await run.takeApply()).toBeUndefined()
      expect(await run.phase()).toBe(phase)
      await nothingTaken(run)
    },
  )

  test('is not there while a person holds the lock', async () => {
    const run = await runIn('apply_queued')
    const lock = { workspaceId: run.workspace.id, kind: 'user', label: 'a person' }
    await run.platform('workspace_locks').insert({ organizationId: run.org.id, ...lock })
    expect(await run.takeApply()).toBeUndefined()
    expect(await run.phase()).toBe('apply_queued')
    expect(await run.attempts()).toEqual([])
    await nothingTaken(run)
  })

  test('is not there twice: a run that has an attempt keeps its fencing number', async () => {
    const run = await runIn('apply_queued')
    const attempt = {
      organizationId: run.org.id,
      workspaceRunId: run.id,
      fence: 0,
      worker: 'other',
    }
    await run.platform('apply_attempts').insert(attempt)
    expect(await run.takeApply()).toBeUndefined()
    expect(await run.attempts()).toMatchObject([{ worker: 'other' }])
    await nothingTaken(run)
  })

  test('is not there for another organization', async () => {
    const run = await runIn('apply_queued')
    const other = await harness.organization()
    expect(await run.takeApply(other.id)).toBeUndefined()
    expect(await run.phase()).toBe('apply_queued')
    await nothingTaken(run)
  })
})

test('an approval that comes while its run is found expired is in time', async () => {
  const { store } = harness.deps
  const run = await runIn('awaiting_approval', {
    planDigest: 'sha256:0',
    approvalExpiresAt: new Date(Date.now() - 1_000),
  })
  let approved = false
  const read: typeof store.read = async (organizationId, query) => {
    const rows = await store.read<never>(organizationId, query)
    if (!approved) {
      approved = true
      expect((await run.approve()).statusCode).toBe(200)
    }
    return rows
  }
  const place = { organizationId: run.org.id, workspaceRunId: run.id }
  expect(await stepOfRun({ store: { ...store, read } }, place)).toEqual({ next: 'apply' })
  expect(await run.phase()).toBe('apply_queued')
})
