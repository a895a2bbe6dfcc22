import { mustChangeState } from '../../domain/infrastructure/must-change-state.ts'
import { JobFailure } from '../../gateways/runner/job-failure.ts'
import type { Applied } from '../../gateways/runner/protocol.ts'
import { RunnerLost, superviseJob } from '../../gateways/runner/supervise-job.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { applyAttempts } from '../../store/infrastructure/apply-attempts.ts'
import { endRun, type RunEnd } from '../../app/runs/end-run.ts'
import { settleApply } from '../../store/infrastructure/settle-apply.ts'
import type { PlanToApply } from '../../store/infrastructure/judged-plan.ts'
import { plans } from '../../store/infrastructure/plans.ts'
import { stateVersions } from '../../store/workspaces/state-versions.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'
import type { InfrastructureRunInput, RunStep } from '../../workflows/infrastructure/contract.ts'
import type { Deps } from '../deps.ts'
import { retryWhileUnavailable } from '../retry-while-unavailable.ts'
import { beginApply, endStale, type Begun, type Received } from './begin-apply.ts'
import { cloudDoorForRun } from './cloud-door-for-run.ts'
import { endOfApply, memoryExceeded } from './end-of-runner.ts'
import { planInputs, runInputs } from './job-inputs.ts'
import { keepErroredState } from './keep-errored-state.ts'
import { lendBenches } from './lend-benches.ts'
import { findRun, type FoundRun } from '../runs/find-run.ts'
import { loadRun, type LoadedRun } from './load-run.ts'
import { stepOfRun } from './next-step.ts'
import { recheckGates } from './recheck-gates.ts'
import { sayIgnored } from './say-ignored.ts'
import { openStageLog } from '../runs/stage-log.ts'
import { watchRun, type RunWatch } from './watch-run.ts'
import { withinShare } from '../runs/within-share.ts'

const applyTimeoutMs = 4 * 3_600_000
/** Only this worker knows what the apply did, so it waits longer for the store than others do. */
const patienceMs = 10 * 60_000

/**
 * Applies a run's stored plan, at most once. The row of the attempt is the right to apply, and
 * `spawned_at` is written before the program starts. If the worker or its runner is lost,
 * `reconcileApply` looks up the outcome; the apply is never repeated (docs/runs.md, "Recovery").
 */
export const applyRun =
  (deps: Deps) =>
  async (input: InfrastructureRunInput): Promise<RunStep> => {
    const found = await findRun(deps, input.runId)
    const place = { organizationId: found.organizationId, workspaceRunId: input.runId }
    const watch = watchRun(deps, place, { mayStop: false })
    try {
      return await withinShare(deps, found, async () => {
        if (found.run.phase === 'apply_queued') await applyPlan(deps, found, watch)
        return retryWhileUnavailable(async () => stepOfRun(deps, place))
      })
    } finally {
      watch.close()
    }
  }

async function applyPlan(deps: Deps, found: FoundRun, watch: RunWatch): Promise<void> {
  const plan = await recheckGates(deps, found, watch.signal)
  if (plan === 'ended') return
  if (plan === 'gone') {
    await deps.store.tenant(found.organizationId, async (tenant) =>
      endStale(tenant, found, 'the plan is gone'),
    )
    return
  }
  const loaded = await loadRun(deps, found, 'apply')
  await applyOnce(deps, loaded, { watch, plan, begun: undefined, isEnded: false })
}

type Attempt = {
  watch: RunWatch
  plan: PlanToApply
  /** Set once the right to apply is taken. */
  begun: Begun | undefined
  /** The end of the run was recorded, and with it that of this attempt. */
  isEnded: boolean
}

async function applyOnce(deps: Deps, loaded: LoadedRun, attempt: Attempt): Promise<void> {
  const { organizationId, run } = loaded
  const { watch } = attempt
  try {
    const end = await applyInRunner(deps, loaded, attempt).catch((error: unknown) =>
      endOfLoss(error, watch),
    )
    if (!end) return
    // Fenced off, or given up by Temporal: another attempt records the outcome.
    if (watch.cause() === 'fenced' || watch.cause() === 'lost')
      throw new Error('this attempt was taken over')
    await retryWhileUnavailable(
      async () => finish(deps, loaded, { end, fence: attempt.begun?.fence }),
      patienceMs,
    )
    attempt.isEnded = true
  } finally {
    const { begun, isEnded } = attempt
    if (begun && !isEnded)
      await deps.store
        .tenant(organizationId, async (tenant) =>
          applyAttempts(tenant).end(run.id, { fence: begun.fence, exitCode: null }),
        )
        .catch(() => undefined)
  }
}

/** A runner that broke its own limits ends the run. Any other loss is looked up by reconcileApply. */
function endOfLoss(error: unknown, watch: RunWatch): RunEnd {
  if (error instanceof JobFailure) {
    if (watch.cause() === 'canceled') return endOfApply({ begun: true }, 'canceled')
    return { phase: 'failed', reason: error.reason, message: error.message }
  }
  if (!(error instanceof RunnerLost) || error.how !== 'memory_exceeded') throw error
  const { reason, message } = memoryExceeded()
  return { phase: 'failed', reason, message }
}

/** Undefined if the apply may not begin; the run then has its new phase. */
async function applyInRunner(
  deps: Deps,
  loaded: LoadedRun,
  attempt: Attempt,
): Promise<RunEnd | undefined> {
  const { run, organizationId, workspace } = loaded
  const { watch, plan } = attempt
  const place = { organizationId, stageId: loaded.stageIds['apply'] ?? 0, patienceMs }
  const log = openStageLog({ store: deps.store, ...place })
  const received: Received = { plan, sha256: {} }
  const unsaved = keepErroredState(deps, loaded, patienceMs)
  // A workspace may have become production since its plan, and a budget may have held the run.
  const mayUseKept = workspace.criticality !== 'production' && run.approvalReasons.length === 0
  const runner = deps.runners.take(
    mayUseKept ? { organizationId, workspaceRunId: run.id } : undefined,
  )
  const door = cloudDoorForRun(deps, loaded, { phase: 'apply', runner, log })
  const benches = lendBenches(deps, {
    label: `run-${run.id}-apply`,
    statePath: `/api/workspaces/${run.workspaceId}/state`,
    cloudDoor: door,
  })
  const inputs = async function* () {
    const parts = ['lock_file', 'modules', 'plan_file'] as const
    const { sha256 } = received
    yield* planInputs(deps, organizationId, { plan, parts, sha256 })
    yield* runInputs(deps, loaded)
  }
  try {
    const result = await superviseJob(runner, {
      job: {
        kind: 'apply',
        workspaceId: run.workspaceId,
        folder: workspace.path,
        timeoutMs: applyTimeoutMs,
        lends: door !== undefined,
      },
      inputs: inputs(),
      signal: watch.signal,
      answers: {
        async begin({ sha256 }) {
          assertSame(sha256, received.sha256)
          attempt.begun = await beginApply(deps, loaded, received)
          if (attempt.begun) {
            watch.holdFence(attempt.begun.fence)
            await sayIgnored(log, loaded)
          }
          return { token: attempt.begun?.token }
        },
        bench: benches.bench,
        giveBack: benches.giveBack,
        ...(door && {
          masked: door.masked,
          async lend() {
            if (!attempt.begun) throw new Error('a runner may not begin')
            return door.open(attempt.begun.token)
          },
        }),
        async spawn() {
          await recordSpawn(deps, loaded, attempt.begun)
          return {}
        },
        async keepState(asked) {
          // A runner that was taken over could store a forged state for an apply that never began.
          if (!attempt.begun) throw new Error('a runner may not begin')
          return unsaved.keepState(asked)
        },
        stateSent: unsaved.stateSent,
      },
      onLog: log.append,
      onBlob: unsaved.add,
      onProcessGroup: watch.setProcessGroup,
      isSaving: unsaved.isSaving,
    })
    // Made by a runner of this version (runner/apply-job.ts).
    const applied = result as Applied
    if (!applied.begun) return undefined
    if (!attempt.begun) throw new Error('a runner ended an apply that it may not begin')
    return unsaved.isKept() ? stateNotSaved : endOfApply(applied, watch.cause())
  } catch (error) {
    // It is known how the apply ended, whatever became of its runner afterwards.
    if (unsaved.isKept()) return stateNotSaved
    throw error
  } finally {
    door?.close()
    await benches.close()
  }
}

const stateNotSaved: RunEnd = {
  phase: 'failed',
  reason: 'state_save_failed',
  message: 'OpenTofu could not save the state. What it had is kept as a quarantined state version.',
}

/** What the runner has is what left the store: a byte that was lost on the way must not be applied. */
function assertSame(
  received: Readonly<Record<string, string>>,
  sent: Readonly<Record<string, string>>,
): void {
  const names = new Set([...Object.keys(received), ...Object.keys(sent)])
  for (const name of names)
    if (received[name] !== sent[name])
      throw new Error('a runner did not receive the plan it was sent')
}

async function recordSpawn(
  deps: Deps,
  { organizationId, run }: LoadedRun,
  begun: Begun | undefined,
): Promise<void> {
  if (!begun) throw new Error('a runner may not begin')
  const spawned = await retryWhileUnavailable(async () =>
    deps.store.tenant(organizationId, async (tenant) =>
      applyAttempts(tenant).recordSpawn(run.id, begun.fence),
    ),
  )
  if (!spawned) throw new Error('this attempt was taken over')
}

/** Succeeds only with exit code 0 and a state that is saved, or that need not be (`stateIsSaved`). */
async function finish(
  deps: Deps,
  { organizationId, run, actor }: LoadedRun,
  { end, fence }: { end: RunEnd; fence: number | undefined },
): Promise<void> {
  await deps.store.tenant(organizationId, async (tenant) => {
    const workspace = await workspaces(tenant).getForUpdate(run.workspaceId)
    // The store was away, and another attempt took over before the watch noticed.
    if (fence !== undefined && workspace.fence !== fence)
      throw new Error('this attempt was taken over')
    const how: RunEnd =
      end.phase === 'succeeded' && !(await stateIsSaved(tenant, run))
        ? {
            phase: 'failed',
            reason: 'state_save_failed',
            message: 'OpenTofu ended well but no state of this run was saved.',
          }
        : end
    const isApplied = how.phase === 'succeeded'
    if (fence !== undefined) await settleApply(tenant, run, { isApplied, fence })
    const place = { organizationId, workspaceRunId: run.id, actor, held: { run, workspace } }
    // Without the right to apply, the run may be ended only while no other worker applies it.
    const from = [fence === undefined ? ('apply_queued' as const) : ('applying' as const)]
    const ended = await endRun(tenant, place, { ...how, from })
    // The run is not being applied: what was settled above is rolled back.
    if (!ended) throw new Error('this attempt was taken over')
  })
}

/**
 * Whether the current state is the one after this apply. Without a state of this run that holds if
 * OpenTofu had none to save: the plan may leave the state as it was, the state is still the one that
 * was planned on, and no write of this run was refused and quarantined.
 */
async function stateIsSaved(tenant: Tenant, run: LoadedRun['run']): Promise<boolean> {
  const versions = stateVersions(tenant)
  if (await versions.newestOfRun(run.id)) return true
  const plan = await plans(tenant).get(run.id)
  if (!plan?.overview || mustChangeState(plan.overview)) return false
  const current = await versions.current(run.workspaceId)
  return (
    current !== undefined &&
    current.serial === plan.stateSerial &&
    current.lineage === plan.stateLineage &&
    (await versions.quarantinedOfRun(run.id)).length === 0
  )
}
