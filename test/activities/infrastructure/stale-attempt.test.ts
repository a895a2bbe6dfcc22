import { MockActivityEnvironment } from '@temporalio/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Deps } from '../../../activities/deps.ts'
import { applyRun } from '../../../activities/infrastructure/apply-run.ts'
import { endStale } from '../../../activities/infrastructure/begin-apply.ts'
import { failRun } from '../../../activities/infrastructure/fail-run.ts'
import { isJudgedByToday, tellRules } from '../../../activities/infrastructure/gate-rules.ts'
import { recheckGates } from '../../../activities/infrastructure/recheck-gates.ts'
import { recordPlanFailure } from '../../../activities/infrastructure/record-plan.ts'
import { findRun } from '../../../activities/runs/find-run.ts'
import { newToken } from '../../../domain/access/credentials.ts'
import { testPlan } from '../../../domain/infrastructure/test-plan.ts'
import type { RunPhase } from '../../../domain/runs/run-state.ts'
import type { Runner } from '../../../gateways/runner/start-runner.ts'
import { beginPlan } from '../../../store/infrastructure/begin-plan.ts'
import { findJudgedPlan } from '../../../store/infrastructure/judged-plan.ts'
import { recordedPlan } from '../../api/infrastructure/recorded-plan.ts'
import { attemptOfAnother } from '../../faults/attempt-of-another.ts'
import { hold, rowOf, waitsForLock } from '../../faults/run-rows.ts'
import { endingWith, failingWith, scriptedRunner } from '../../gateways/runner/scripted-runner.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { startRun } from '../../harness/runs.ts'

// A worker that lost its link to Temporal goes on with a step that Temporal gave to another worker.
let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

const platform = (table: string) => harness.deps.store.platform(table)

const runIn = async (phase: RunPhase) => {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const workspace = await org.workspace({ by: owner })
  const { id } = await startRun(owner, workspace)
  await platform('workspace_runs').where({ id }).update({ phase })
  return { id, org, owner, workspace, found: await findRun(harness.deps, id) }
}

const runAppliedByAnother = async () => {
  const { id, found } = await runIn('planning')
  await attemptOfAnother(harness, id, new Date())
  return { id, found }
}
const applied = { phase: 'applying', locks: 1, attemptEndedAt: null, needsRefresh: false }

/** A run with a plan, and what a worker has for it whose runner is this one. */
const plannedRun = async (phase: RunPhase, runner: (id: number) => Runner) => {
  const run = await runIn(phase)
  const { id, org, workspace } = run
  await recordedPlan(harness, { organizationId: org.id, workspaceRunId: id }, testPlan([]))
  const deps = {
    ...harness.deps,
    runners: { take: () => runner(id) },
    slotShares: { take: async () => () => undefined, forget: () => undefined },
    engineVersion: '1.12.6',
    worker: 'cut-off',
    stopping: new AbortController().signal,
  } as unknown as Deps
  /** Notes that the plan was judged by the rules that are in force now. */
  const judge = async () => {
    const rules = tellRules(deps, scriptedRunner([]), {
      organizationId: org.id,
      workspaceId: workspace.id,
    })
    await rules.rules({ types: [] })
    await platform('plans').where({ workspaceRunId: id }).update(rules.judgedBy())
  }
  return { ...run, deps, judge }
}

describe('a plan', () => {
  test('that fails late does not end the run that another worker applies', async () => {
    const { id, found } = await runAppliedByAnother()
    for (const reason of ['plan_errored', 'canceled_by_user'] as const)
      await recordPlanFailure(harness.deps, found, { reason, message: 'late' })
    expect(await rowOf(harness, id)).toMatchObject({ phase: 'applying', locks: 1 })
  })

  test('that fails does not end the run that another worker plans by now, but a cancel does', async () => {
    const { id, org, found } = await runIn('planning')
    const begin = async () => {
      const { hash, prefix } = newToken('run')
      const tried = { workspaceRunId: id, engineRunId: 'engine', hash, prefix, hours: 1 }
      expect(await beginPlan(harness.deps.store, org.id, tried)).toBe(true)
      return hash
    }
    const [stale, newest] = [await begin(), await begin()]
    const fail = async (hash: Buffer, reason: 'plan_errored' | 'canceled_by_user') => {
      await recordPlanFailure(harness.deps, found, { reason, message: `by ${reason}`, hash })
      return (await rowOf(harness, id)).phase
    }
    const said = async () => platform('log_lines').where({ organizationId: org.id }).pluck('line')
    expect(await fail(stale, 'plan_errored')).toBe('planning')
    expect(await said()).toEqual([])
    expect(await fail(newest, 'plan_errored')).toBe('failed')
    expect(await said()).toEqual(['by plan_errored'])
    await platform('workspace_runs').where({ id }).update({ phase: 'planning', endedAt: null })
    expect(await fail(stale, 'canceled_by_user')).toBe('canceled')
  })
})

test('an attempt that finds no plan does not end the run that another worker applies', async () => {
  const { id, found } = await runAppliedByAnother()
  await harness.deps.store.tenant(found.organizationId, async (tenant) =>
    endStale(tenant, found, 'the plan is gone'),
  )
  expect(await rowOf(harness, id)).toMatchObject({ phase: 'applying', locks: 1 })
})

test('an attempt whose runner breaks before its apply ends neither the run nor the attempt of another worker', async () => {
  const { id, deps, judge } = await plannedRun('apply_queued', (run) =>
    scriptedRunner(failingWith('memory_exceeded'), async () =>
      attemptOfAnother(harness, run, new Date()),
    ),
  )
  await judge()
  const environment = new MockActivityEnvironment({ attempt: 1 })
  await expect(environment.run(applyRun(deps), { runId: id })).rejects.toThrow('taken over')
  expect(await rowOf(harness, id)).toMatchObject(applied)
})

test('an apply that cannot be begun does not end a run that another worker begins to apply meanwhile', async () => {
  const { id, workspace } = await runIn('apply_queued')
  const held = await hold(
    harness,
    `select from workspaces where id = ${workspace.id} for no key update`,
  )
  const failing = failRun(harness.deps as unknown as Deps)({ runId: id, reason: 'apply_errored' })
  await waitsForLock(harness)
  await attemptOfAnother(harness, id, new Date())
  await held.release()
  await failing
  expect(await rowOf(harness, id)).toMatchObject(applied)
})

describe('gates that are judged again', () => {
  const denied = { reason: 'policy_denied', message: 'Denied by a policy.' }
  const judged = { gates: [], cost: {}, reach: [], estimate: null, denied }
  const recheck = async ({ deps, found }: Awaited<ReturnType<typeof plannedRun>>) =>
    recheckGates(deps, found, new AbortController().signal)
  const asksForRules = {
    header: { kind: 'ask', id: 1, what: 'rules', ask: { types: [] } },
  }

  test('do not end a run that another worker applies by now', async () => {
    const run = await plannedRun('apply_queued', (id) =>
      scriptedRunner(failingWith('memory_exceeded'), async () =>
        attemptOfAnother(harness, id, new Date()),
      ),
    )
    expect(await recheck(run)).toBe('ended')
    expect(await rowOf(harness, run.id)).toMatchObject(applied)
  })

  test('end a run that waits, by the rules that are in force', async () => {
    const run = await plannedRun('awaiting_approval', () =>
      scriptedRunner([asksForRules, ...endingWith(judged)]),
    )
    expect(await recheck(run)).toBe('ended')
    expect(await rowOf(harness, run.id)).toMatchObject({ phase: 'failed', reason: denied.reason })
  })

  test.each([
    ['that were denied', [asksForRules, ...endingWith(judged)]],
    ['that could not be judged', failingWith('memory_exceeded')],
  ])('%s end no run whose plan another worker has judged meanwhile', async (_, frames) => {
    const run = await plannedRun('awaiting_approval', () =>
      scriptedRunner(frames, async () => run.judge()),
    )
    expect(await recheck(run)).toMatchObject({ workspaceRunId: run.id })
    const row = await platform('workspace_runs').where({ id: run.id }).first('phase', 'gates')
    expect(row).toMatchObject({ phase: 'awaiting_approval', gates: [] })
  })

  test('by rules that were changed while they were judged end no run', async () => {
    const run = await plannedRun('awaiting_approval', () => {
      const runner = scriptedRunner([asksForRules, ...endingWith(judged)])
      const { channel } = runner
      // The rules are sent, and then a limit is raised.
      return Object.assign(runner, {
        channel: {
          ...channel,
          sendBlob: async () =>
            platform('workspaces')
              .where({ id: run.workspace.id })
              .update({ costLimitMonthly: '100' }),
        },
      })
    })
    expect(await recheck(run)).toMatchObject({ workspaceRunId: run.id })
    expect(await rowOf(harness, run.id)).toMatchObject({ phase: 'awaiting_approval' })
    // The rules by which the plan was denied are in force again: it has not passed them.
    await platform('workspaces').where({ id: run.workspace.id }).update({ costLimitMonthly: null })
    const stored = await findJudgedPlan(harness.deps.store, run.found.organizationId, run.id)
    expect(stored && isJudgedByToday(stored)).toBe(false)
  })
})
