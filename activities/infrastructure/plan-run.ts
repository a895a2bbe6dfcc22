import { Context } from '@temporalio/activity'
import { newToken } from '../../domain/access/credentials.ts'
import { JobFailure } from '../../gateways/runner/job-failure.ts'
import { RunnerLost, superviseJob } from '../../gateways/runner/supervise-job.ts'
import type { Planned, PlanJob } from '../../gateways/runner/protocol.ts'
import { beginPlan } from '../../store/infrastructure/begin-plan.ts'
import { tokens } from '../../store/tokens/tokens.ts'
import type { InfrastructureRunInput, RunStep } from '../../workflows/infrastructure/contract.ts'
import type { Deps } from '../deps.ts'
import { GivenUp } from '../guard-activity.ts'
import { retryWhileUnavailable } from '../retry-while-unavailable.ts'
import { memoryExceeded } from './end-of-runner.ts'
import { tellRules } from './gate-rules.ts'
import { factsOf, runInputs } from './job-inputs.ts'
import { cloudDoorForRun } from './cloud-door-for-run.ts'
import { judgeWhileWaiting } from './judge-while-waiting.ts'
import { lendBenches } from './lend-benches.ts'
import { findRun, type FoundRun } from '../runs/find-run.ts'
import { loadRun, type LoadedRun } from './load-run.ts'
import { stepOfRun } from './next-step.ts'
import { tellOrigin } from './tell-origin.ts'
import { relayForRun } from './open-git-relay.ts'
import { recordPlan, recordPlanFailure } from './record-plan.ts'
import { sayIgnored } from './say-ignored.ts'
import { openStageLog, type StageLog } from '../runs/stage-log.ts'
import { watchRun, type RunWatch } from './watch-run.ts'
import { withinShare } from '../runs/within-share.ts'
import { writePlan } from './write-plan.ts'

const planTimeoutMs = 30 * 60_000
/** A plan changes nothing, so one that was lost with its worker is made again, at most twice. */
const maxBegun = 3

/**
 * Plans a run in a runner of its own: init, plan, show and both gates. A plan changes nothing, so a lost
 * one is repeated. For a run that waits for approval, judges the existing plan again.
 */
export const planRun =
  (deps: Deps) =>
  async (input: InfrastructureRunInput): Promise<RunStep> => {
    const found = await findRun(deps, input.runId)
    const place = { organizationId: found.organizationId, workspaceRunId: input.runId }
    const watch = watchRun(deps, place, { mayStop: true })
    try {
      return await withinShare(deps, found, async () => {
        if (found.run.phase === 'awaiting_approval') return judgeWhileWaiting(deps, found, watch)
        if (found.run.phase === 'planning') await planOnce(deps, found, watch)
        return retryWhileUnavailable(async () => stepOfRun(deps, place))
      })
    } finally {
      watch.close()
    }
  }

/** One attempt, counted before any data of the run's author is opened: nothing in it can cause endless retries. */
async function planOnce(deps: Deps, found: FoundRun, watch: RunWatch): Promise<void> {
  const { organizationId, run } = found
  if (run.cancelRequestedAt)
    return recordPlanFailure(deps, found, { reason: 'canceled_by_user', message: 'Canceled.' })

  // Counted here, because Temporal also counts attempts that a hanging worker never began.
  const begun = found.plansBegun
  if (begun >= maxBegun) {
    const message = `The worker was lost while planning, ${maxBegun} times. Start a new run.`
    return recordPlanFailure(deps, found, { reason: 'runner_lost', message })
  }
  const secret = newToken('run')
  const { store } = deps
  const log = openStageLog({ store, organizationId, stageId: found.stageIds['plan'] ?? 0 })
  // Otherwise the run was canceled or ended meanwhile.
  if (!(await countTry(deps, found, secret))) return
  const opening = { isOpen: false }
  try {
    if (begun > 0)
      await log.append([{ level: 'warn', line: 'The plan was interrupted. Planning again.' }])
    const loaded = await loadRun(deps, found, 'plan')
    opening.isOpen = true
    assertAsSeen(loaded)
    await sayIgnored(log, loaded)
    await planInRunner(deps, loaded, { log, watch, token: secret.plain })
  } catch (error) {
    const isLast = begun + 1 >= maxBegun
    const failure = toFailure(error, { watch, isLast })
    // A worker that is told to stop, or that lacks a key or the store, was not lost: the attempt is not
    // counted, if the store can be reached to say so.
    if (!failure && (deps.stopping.aborted || !opening.isOpen))
      await deps.store
        .tenant(organizationId, async (tenant) =>
          tokens(tenant).forgetRunToken(run.id, secret.hash),
        )
        .catch(() => undefined)
    if (!failure && error instanceof JobFailure)
      await log.append([{ level: 'warn', line: error.message.slice(0, 4_096) }])
    // Not ours to end: another worker ended the run, or Temporal will retry.
    if (!failure) throw isLast && !watch.cause() ? new GivenUp(error) : error
    // What the plan said comes before its end.
    await log.append([])
    const { reason, message } = failure
    await retryWhileUnavailable(async () =>
      recordPlanFailure(deps, found, { reason, message, hash: secret.hash }),
    )
  }
}

/**
 * A variable that was changed between the second person's approval and the plan must not choose the code that the plan
 * runs. Compares what was loaded, so that no change comes in between.
 */
function assertAsSeen({ run, valuesDigest }: LoadedRun): void {
  if (run.variablesDigest !== null && run.variablesDigest !== valuesDigest)
    throw new JobFailure(
      'plan_stale',
      'A variable was changed between the approval and the plan. Start a new run: a second person looks at it first.',
    )
}

async function countTry(
  { store, worker }: Deps,
  { organizationId, run }: FoundRun,
  { hash, prefix }: ReturnType<typeof newToken>,
): Promise<boolean> {
  const { workflowExecution } = Context.current().info
  const engineRunId = workflowExecution?.runId ?? worker
  return beginPlan(store, organizationId, {
    workspaceRunId: run.id,
    engineRunId,
    hash,
    prefix,
    hours: 1,
  })
}

async function planInRunner(
  deps: Deps,
  loaded: LoadedRun,
  { log, watch, token }: { log: StageLog; watch: RunWatch; token: string },
): Promise<void> {
  const { run, organizationId, workspace } = loaded
  const relay = relayForRun(deps, loaded, log)
  const runner = deps.runners.take({ organizationId, workspaceRunId: run.id })
  const door = cloudDoorForRun(deps, loaded, { phase: 'plan', runner, log })
  const benches = lendBenches(deps, {
    label: `run-${run.id}-plan`,
    statePath: `/api/workspaces/${run.workspaceId}/state`,
    env: loaded.env,
    openRelay: relay.open,
    cloudDoor: door,
  })
  const plan = writePlan(deps, {
    organizationId,
    workspaceRunId: run.id,
    maxJsonBytes: deps.planJsonBytes,
  })
  const place = { organizationId, workspaceId: run.workspaceId }
  const rules = tellRules(deps, runner, place)
  // On production a fresh one applies: what the author's code might have done to the process that
  // read its plan must not get past the approval.
  const keepsRunner = run.kind === 'apply' && workspace.criticality !== 'production'
  try {
    const planned = await superviseJob(runner, {
      job: jobOf(deps, loaded, { token, lends: door !== undefined }),
      inputs: runInputs(deps, loaded),
      signal: watch.signal,
      answers: {
        bench: benches.bench,
        giveBack: benches.giveBack,
        allow: async (ask) => relay.allow(ask),
        closeRelay: async () => relay.close(),
        origin: tellOrigin(deps, runner, { ...place, planned: loaded.state }),
        rules: rules.rules,
        ...(door && { masked: door.masked, lend: async () => door.open(token) }),
      },
      onLog: log.append,
      onBlob: plan.add,
      keep: keepsRunner,
    })
    if (keepsRunner) await deps.runners.keep(runner, { organizationId, workspaceRunId: run.id })
    await retryWhileUnavailable(async () =>
      // Made by a runner of this version (runner/plan-job.ts).
      recordPlan(deps, loaded, { ...(planned as Planned), plan, judgedBy: rules.judgedBy() }),
    )
  } finally {
    relay.close()
    door?.close()
    await benches.close()
  }
}

const jobOf = (
  { planJsonBytes }: Deps,
  { run, workspace }: LoadedRun,
  { token, lends }: { token: string; lends: boolean },
): PlanJob => ({
  kind: 'plan',
  run: factsOf(run),
  workspaceId: run.workspaceId,
  folder: workspace.path,
  token,
  destroy: run.destroy,
  timeoutMs: planTimeoutMs,
  planJsonBytes,
  lends,
})

/** Undefined where the plan may be made again, as after a step that something outside of this service killed. */
function toFailure(
  error: unknown,
  { watch, isLast }: { watch: RunWatch; isLast: boolean },
): JobFailure | undefined {
  if (watch.cause() === 'canceled') return new JobFailure('canceled_by_user', 'Canceled.')
  if (watch.cause()) return undefined
  if (error instanceof RunnerLost && error.how === 'memory_exceeded') return memoryExceeded()
  if (!(error instanceof JobFailure)) return undefined
  return error.reason === 'runner_lost' && !isLast ? undefined : error
}
