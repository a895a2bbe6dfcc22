import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Deps } from '../../activities/deps.ts'
import { reconcileRuns } from '../../activities/platform/reconcile-runs.ts'
import { eachByItself, RowsFailed } from '../../app/platform/each-by-itself.ts'
import { unavailable } from '../../domain/errors.ts'
import type { Store } from '../../store/driver/connect.ts'
import { expiredPlanApprovals } from '../../store/platform/expired-plan-approvals.ts'
import { expirePlanApprovalsTask } from '../../worker/tasks/expire-plan-approvals.ts'
import { giveTurnsTask } from '../../worker/tasks/give-turns.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { startRun } from '../harness/runs.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

const logged: string[] = []
const log = pino({}, { write: (line: string) => void logged.push(line) })

const runs = () => harness.deps.store.platform('workspace_runs')

/** The run of an organization whose rows cannot be handled, and behind it one of another. */
async function twoRuns(change: object) {
  await runs().update({ phase: 'failed', endedAt: new Date() })
  const started = async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const run = await startRun(owner, await org.workspace({ by: owner }))
    return { organizationId: org.id, workspaceRunId: run.id }
  }
  const bad = await started()
  const good = await started()
  await runs().whereIn('id', [bad.workspaceRunId, good.workspaceRunId]).update(change)
  const store: Store = {
    ...harness.deps.store,
    async tenant(organizationId, work) {
      if (organizationId === bad.organizationId) throw new Error('a name of the tenant')
      return harness.deps.store.tenant(organizationId, work)
    },
  }
  const phase = async ({ workspaceRunId }: { workspaceRunId: number }) =>
    (await runs().where({ id: workspaceRunId }).first('phase')).phase
  const expectTold = () => {
    const line =
      logged.findLast((one) => one.includes(`"workspaceRunId":${bad.workspaceRunId}`)) ?? ''
    expect(JSON.parse(line)).toMatchObject({ organizationId: bad.organizationId, error: 'Error' })
    expect(line).not.toContain('a name of the tenant')
  }
  return { bad, good, store, phase, expectTold }
}

test('give-turns: a run whose turn cannot be given keeps nobody else from theirs', async () => {
  const { good, store, phase, expectTold } = await twoRuns({ phase: 'queued', startedAt: null })
  await expect(giveTurnsTask({ store, log }).run()).rejects.toThrow()
  expect(await phase(good)).toBe('planning')
  expectTold()
})

test('expire-plan-approvals: a run that cannot be ended keeps no other alive', async () => {
  const { bad, good, store, phase, expectTold } = await twoRuns({
    phase: 'awaiting_plan_approval',
    approvalExpiresAt: new Date(Date.now() - 60_000),
  })
  await runs()
    .where({ id: bad.workspaceRunId })
    .update({ approvalExpiresAt: new Date(0) })
  await expect(expirePlanApprovalsTask({ store, log }).run()).rejects.toThrow()
  expect(await phase(good)).toBe('failed')
  expectTold()
})

test('expire-plan-approvals: a run whose files were let through after it was listed goes on', async () => {
  const { bad, good, phase } = await twoRuns({
    phase: 'awaiting_plan_approval',
    approvalExpiresAt: new Date(0),
  })
  const store: Store = {
    ...harness.deps.store,
    async tenant(organizationId, work) {
      if (organizationId === bad.organizationId)
        await runs()
          .where({ id: bad.workspaceRunId })
          .update({ phase: 'planning', approvalExpiresAt: null })
      return harness.deps.store.tenant(organizationId, work)
    },
  }
  expect(await expirePlanApprovalsTask({ store, log }).run()).toBe('done')
  expect([await phase(bad), await phase(good)]).toEqual(['planning', 'failed'])
})

test('expire-plan-approvals: many of one organization do not fill the page', async () => {
  const { bad, good } = await twoRuns({ phase: 'queued' })
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const workspace = await org.workspace({ by: owner })
  for (let n = 0; n < 3; n += 1) await startRun(owner, workspace)
  const expired = { phase: 'awaiting_plan_approval', approvalExpiresAt: new Date(0) }
  await runs().where({ workspaceId: workspace.id }).update(expired)
  const [later, latest] = [new Date(1_000), new Date(2_000)]
  await runs()
    .where({ id: bad.workspaceRunId })
    .update({ ...expired, approvalExpiresAt: later })
  await runs()
    .where({ id: good.workspaceRunId })
    .update({ ...expired, approvalExpiresAt: latest })
  const page = await expiredPlanApprovals(harness.deps.store.platform, 3)
  expect(page.slice(1).map(({ workspaceRunId }) => workspaceRunId)).toEqual([
    bad.workspaceRunId,
    good.workspaceRunId,
  ])
})

test('reconcile: a run that cannot be looked at leaves no other without its workflow', async () => {
  const { good, store, phase, expectTold } = await twoRuns({
    phase: 'planning',
    startedAt: new Date(Date.now() - 60_000),
  })
  await harness.deps.store.platform('outbox').update({ doneAt: new Date() })
  // All that it needs.
  const deps = { store, log, workflowState: async () => 'closed' } as unknown as Deps
  await expect(reconcileRuns(deps)()).rejects.toThrow()
  expect(await phase(good)).toBe('failed')
  expectTold()
})

test('each row is handled once, also where several are handled at once', async () => {
  const rows = Array.from({ length: 50 }, (_, n) => ({ organizationId: n, domain: 'ours.example' }))
  const handled: number[] = []
  const over = eachByItself(rows, {
    task: 'all',
    log,
    atOnce: 7,
    async work({ organizationId }) {
      await new Promise((resolve) => setImmediate(resolve))
      handled.push(organizationId)
      if (organizationId % 10 === 0) throw Object.assign(new Error('a secret'), { code: '23505' })
    },
  })
  await expect(over).rejects.toEqual(new RowsFailed(5))
  expect(handled.toSorted((a, b) => a - b)).toEqual(rows.map((row) => row.organizationId))
  const lines = logged.filter((line) => line.includes('"task":"all"'))
  expect(lines).toHaveLength(5)
  expect(lines.join('')).toContain('"code":"23505"')
  expect(lines.join('')).not.toMatch(/a secret|ours\.example/)
})

test('where the database or Temporal is away the pass ends at once: each row would wait for it', async () => {
  let asked = 0
  const over = eachByItself([{ organizationId: 1 }, { organizationId: 2 }], {
    task: 'away',
    log,
    async work() {
      asked += 1
      throw unavailable('database_unavailable', 'The database cannot be reached.')
    },
  })
  await expect(over).rejects.toMatchObject({ code: 'database_unavailable' })
  expect(asked).toBe(1)
})
