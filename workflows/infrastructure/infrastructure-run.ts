import {
  ActivityFailure,
  ApplicationFailure,
  condition,
  continueAsNew,
  defineSignal,
  proxyActivities,
  setHandler,
  sleep,
  TimeoutFailure,
  workflowInfo,
} from '@temporalio/workflow'
import { decidedSignal } from '../../domain/runs/decided-signal.ts'
import type { ControlActivities, TofuActivities } from '../../activities/index.ts'
import { tofuQueue } from '../platform/contract.ts'
import { type InfrastructureRunInput, type RunFailure, type RunStep } from './contract.ts'

const retry = { initialInterval: '200 ms', maximumInterval: '5 seconds' } as const

// Bookkeeping is short and idempotent. Of OpenTofu's steps a plan may be repeated, an apply never.
const { nextStep, failRun } = proxyActivities<ControlActivities>({
  startToCloseTimeout: '30 seconds',
  retry,
})
const { reconcileApply } = proxyActivities<ControlActivities>({
  startToCloseTimeout: '5 minutes',
  summary: 'what came of a lost apply',
  // The worker can be lost while it waits, too.
  heartbeatTimeout: '15 seconds',
  retry,
})
const { planRun } = proxyActivities<TofuActivities>({
  taskQueue: tofuQueue,
  startToCloseTimeout: '35 minutes',
  summary: 'tofu plan, policy gate, cost gate',
  heartbeatTimeout: '15 seconds',
  // planRun itself counts attempts, three at most. These are more, because a hanging worker takes tasks
  // off the queue, without beginning them, for as long as its polls live (a minute).
  retry: { ...retry, maximumAttempts: 12 },
})
const { applyRun } = proxyActivities<TofuActivities>({
  taskQueue: tofuQueue,
  startToCloseTimeout: '5 hours',
  summary: 'tofu apply of the stored plan',
  heartbeatTimeout: '15 seconds',
  // Before plans that wait (3 is what others have): a run that was begun ends first, while its plan
  // is fresh and its runner is alive. Each apply follows a plan, so plans are not starved by them.
  priority: { priorityKey: 2 },
  retry: { maximumAttempts: 1 },
})

/**
 * A run: plan (policy and cost gates), approve, apply (docs/runs.md). After each step the store says
 * what comes next, so a lost workflow can be started again at any point.
 */
export async function infrastructureRun(run: InfrastructureRunInput): Promise<void> {
  // The signal only wakes. Anybody with a client can send one, so the decision is read from the store.
  let woken = false
  setHandler(defineSignal(decidedSignal), () => void (woken = true))

  // A payload without our MAC was dropped before it got here (worker/drop-unmarked.ts).
  if (!Number.isSafeInteger((run as Partial<InfrastructureRunInput> | undefined)?.runId))
    throw ApplicationFailure.nonRetryable('refused: the input is not ours', 'bad_input')

  let step = await nextStep(run)
  let failures = 0
  while (step.next !== 'over') {
    // A run may wait for days. The store knows its place, so a new history can begin.
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof infrastructureRun>(run)
    if (step.next === 'wait') {
      await condition(() => woken, step.timeoutMs)
      woken = false
      step = await nextStep(run)
    } else if (step.next === 'plan') {
      step = await planOrFail(run)
    } else if (step.next === 'apply') {
      const applied = await applyOrReconcile(run)
      step = applied.step
      // Not begun because of a temporary fault (the store or the keyring was down): retried with backoff.
      if (!applied.lost || step.next !== 'apply') continue
      failures += 1
      if (failures > maxFailures) {
        await failRun({ ...run, reason: 'apply_errored' })
        return
      }
      await sleep(Math.min(60_000, 1_000 * 2 ** failures))
    } else {
      step = await reconcileApply(run)
    }
  }
}

/** About twenty minutes of trying to begin an apply. */
const maxFailures = 24

async function planOrFail(run: InfrastructureRunInput): Promise<RunStep> {
  try {
    return await planRun(run)
  } catch (error) {
    await failRun({ ...run, ...causeOf(error) })
    return nextStep(run)
  }
}

/** After a lost worker the outcome of the apply is unknown: it is looked up, and never repeated. */
async function applyOrReconcile(
  run: InfrastructureRunInput,
): Promise<{ step: RunStep; lost: boolean }> {
  try {
    return { step: await applyRun(run), lost: false }
  } catch {
    return { step: await reconcileApply(run), lost: true }
  }
}

function causeOf(error: unknown): RunFailure {
  const cause = error instanceof ActivityFailure ? error.cause : undefined
  if (cause instanceof TimeoutFailure)
    return { reason: cause.timeoutType === 'HEARTBEAT' ? 'runner_lost' : 'timed_out' }
  // The fault's code alone: see guardActivity.
  const code = cause instanceof ApplicationFailure ? cause.type : undefined
  return { reason: 'plan_errored', ...(code && { code }) }
}
