import { createHash } from 'node:crypto'
import { AppError } from '../../domain/errors.ts'
import { maskSecrets } from '../../domain/pipelines/mask-secrets.ts'
import { firstError, tofuMessages } from '../../domain/pipelines/tofu-messages.ts'
import { messageOfUnusableFile } from '../../gateways/sandbox/unusable-file.ts'
import type { StepEnd } from '../../gateways/sandbox/workbench.ts'
import { tofu } from '../../gateways/tofu/tofu.ts'
import { actorOfRun } from '../../store/pipelines/actor-of-run.ts'
import { applyAttempts } from '../../store/pipelines/apply-attempts.ts'
import { endRun, type RunEnd } from '../../store/pipelines/end-run.ts'
import { stateVersions } from '../../store/workspaces/state-versions.ts'
import { workspaceAuthorship } from '../../store/workspaces/workspace-authorship.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'
import type { InfrastructureRunInput, RunStep } from '../../workflows/pipelines/contract.ts'
import type { Deps } from '../deps.ts'
import { retryWhileUnavailable } from '../retry-while-unavailable.ts'
import { beginApply, type Begun } from './begin-apply.ts'
import { endUnmaskable } from './end-unmaskable.ts'
import { howKilled } from './how-killed.ts'
import { loadRun, type LoadedRun } from './load-run.ts'
import { nextStep } from './next-step.ts'
import { recheckGates } from './recheck-gates.ts'
import { sayIgnored } from './say-ignored.ts'
import { openStageLog, type StageLog } from './stage-log.ts'
import { watchRun, type RunWatch } from './watch-run.ts'

export const applyTimeoutMs = 4 * 3_600_000
/** What an apply has done is in this worker's hands alone, so the store is waited for longer than by anything else. */
const patienceMs = 10 * 60_000
/** More than this of init is no more than its usual words. */
const maxUnsaid = 500
const workFolderBytes = 2 * 1024 ** 3

/**
 * Applies a run's stored plan, at most once ever: the attempt's row is the right to run,
 * and it is marked before the program begins. Whoever loses this worker asks
 * `reconcileApply` what came of it and never runs it again (temporal.md 5).
 */
export const applyRun =
  (deps: Deps) =>
  async (input: InfrastructureRunInput): Promise<RunStep> => {
    const loaded = await loadRun(deps, input.runId, 'apply')
    const { organizationId, run } = loaded
    if (run.phase !== 'apply_queued') return nextStep(deps)(input)
    if (loaded.unmaskable !== undefined) {
      await endUnmaskable(deps, loaded, loaded.unmaskable)
      return nextStep(deps)(input)
    }
    if (!(await recheckGates(deps, loaded, AbortSignal.timeout(60_000))))
      return nextStep(deps)(input)
    const begun = await beginApply(deps, loaded)
    if (!begun) return nextStep(deps)(input)

    const log = openStageLog({
      store: deps.store,
      organizationId,
      stageId: loaded.stageIds['apply'] ?? 0,
      mask: maskSecrets([...loaded.secrets, begun.token]),
    })
    const watch = watchRun(deps, {
      organizationId,
      runId: run.id,
      workspaceId: run.workspaceId,
      fence: begun.fence,
    })
    try {
      const end = await applyInSandbox(deps, loaded, { begun, log, watch }).catch(nameFile(log))
      await log.close()
      // Fenced off or given up by the engine: the outcome is somebody else's to tell.
      if (watch.cause() === 'fenced' || watch.cause() === 'lost')
        throw new Error('this attempt was taken over')
      await retryWhileUnavailable(
        async () => finish(deps, loaded, { end, fence: begun.fence }),
        patienceMs,
      )
    } finally {
      watch.close()
      await log.close()
      await deps.store
        .tenant(organizationId, async (db) =>
          applyAttempts(db, organizationId).end(run.id, { fence: begun.fence, exitCode: null }),
        )
        .catch(() => undefined)
    }
    return retryWhileUnavailable(async () => nextStep(deps)(input))
  }

type Attempt = { begun: Begun; log: StageLog; watch: RunWatch }

async function applyInSandbox(
  deps: Deps,
  loaded: LoadedRun,
  { begun, log, watch }: Attempt,
): Promise<RunEnd> {
  const { run, organizationId } = loaded
  const bench = await deps.sandbox.open({
    label: `run-${run.id}-apply`,
    sizeBytes: workFolderBytes,
    statePath: `/api/workspaces/${run.workspaceId}/state`,
  })
  try {
    let error: string | undefined
    // The plan's log has what init says; here it is told where it fails.
    let unsaid: Array<[stream: 'stdout' | 'stderr', line: string]> | undefined = []
    const say = async (stream: 'stdout' | 'stderr', line: string) => {
      if (stream === 'stderr') return log.write('error', line)
      for (const message of tofuMessages(line)) await log.write(message.level, message.line)
    }
    const tool = tofu({
      bench,
      token: begun.token,
      env: loaded.env,
      folder: loaded.workspace.path,
      cliConfig: deps.cliConfig,
      timeoutMs: applyTimeoutMs,
      signal: watch.signal,
      onLine: async (stream, line) => {
        const told = error === undefined ? firstError(line) : undefined
        if (told !== undefined) error = log.mask(told)
        if (unsaid && unsaid.length < maxUnsaid) unsaid.push([stream, line])
        else await say(stream, line)
      },
    })
    await sayIgnored(log, loaded)
    await tool.prepare(loaded.files)
    try {
      await tool.settleVariables(loaded.files)
      await tool.restore(begun)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      await log.write('error', error.message)
      return { phase: 'failed', reason: 'apply_errored', message: error.message }
    }
    await log.write('info', 'Preparing the stored plan.')
    const init = await tool.init({
      lockReadonly: begun.lockFile !== null,
      keepModules: begun.modules !== null,
    })
    if (init.exitCode !== 0 || !(await tool.usesOwnBackend())) {
      for (const [stream, line] of unsaid) await say(stream, line)
      await log.write('error', error ?? 'tofu init failed before anything was applied')
      return endOf(init, error, watch)
    }
    unsaid = undefined
    const spawned = await retryWhileUnavailable(async () =>
      deps.store.tenant(organizationId, async (db) =>
        applyAttempts(db, organizationId).recordSpawn(run.id, begun.fence),
      ),
    )
    if (!spawned) throw new Error('this attempt was taken over')
    const applied = await tool.apply((group) => watch.setProcessGroup(group))
    if (applied.exitCode !== 0) {
      const unsaved = await tool.readErroredState().catch(async (thrown: unknown) => {
        const planted = messageOfUnusableFile(thrown)
        if (planted === undefined) throw thrown
        await log.write('error', `${planted}.`)
        error = `${error ?? 'tofu apply failed.'} ${planted}, so a state that was not saved is lost.`
        return undefined
      })
      if (unsaved) {
        await keepAside(deps, loaded, unsaved)
        return {
          phase: 'failed',
          reason: 'state_save_failed',
          message:
            'OpenTofu could not save the state. What it had is kept as a quarantined state version.',
        }
      }
    }
    return endOf(applied, error, watch)
  } finally {
    await bench.close()
  }
}

/** A trap that the configuration set for one of our own files ends the run by its name. */
const nameFile =
  (log: StageLog) =>
  async (thrown: unknown): Promise<RunEnd> => {
    const planted = messageOfUnusableFile(thrown)
    if (planted === undefined) throw thrown
    await log.write('error', `${planted}.`)
    return { phase: 'failed', reason: 'apply_errored', message: `${planted}.` }
  }

function endOf(end: StepEnd, error: string | undefined, watch: RunWatch): RunEnd {
  if (watch.cause() === 'canceled')
    return {
      phase: 'failed',
      reason: 'canceled_by_user',
      message: 'Canceled while it was applied: something may have changed.',
    }
  if (end.how === 'timed_out' || end.how === 'silent')
    return {
      phase: 'failed',
      reason: 'timed_out',
      message:
        end.how === 'silent'
          ? 'The apply said nothing for 10 minutes and was stopped.'
          : 'The apply took longer than an apply may take and was stopped.',
    }
  if (end.exitCode === 0) return { phase: 'succeeded' }
  return {
    phase: 'failed',
    reason: 'apply_errored',
    message: (
      error ?? `tofu apply ${howKilled(end) ?? `ended with code ${end.exitCode ?? 'unknown'}`}.`
    ).slice(0, 1_000),
  }
}

/** Success is exit 0 and a saved state, in that order (runs.md, Transitions). */
async function finish(
  deps: Deps,
  loaded: LoadedRun,
  { end, fence }: { end: RunEnd; fence: number },
): Promise<void> {
  const { organizationId, run } = loaded
  await deps.store.tenant(organizationId, async (db) => {
    const workspaceRows = workspaces(db, organizationId)
    const workspace = await workspaceRows.getForUpdate(run.workspaceId)
    // The store was away, somebody took over meanwhile, and the watch has not seen it yet.
    if (workspace.fence !== fence) throw new Error('this attempt was taken over')
    const saved = await stateVersions(db, organizationId).newestOfRun(run.id)
    const how: RunEnd =
      end.phase === 'succeeded' && !saved
        ? {
            phase: 'failed',
            reason: 'state_save_failed',
            message: 'OpenTofu ended well but no state of this run was saved.',
          }
        : end
    if (how.phase === 'succeeded') {
      await workspaceRows.markApplied(run.workspaceId)
      await workspaceAuthorship(db, organizationId).settle(run.workspaceId, run.authorshipThrough)
    } else {
      await workspaceRows.markNeedsRefresh(run.workspaceId)
    }
    await applyAttempts(db, organizationId).end(run.id, {
      exitCode: how.phase === 'succeeded' ? 0 : 1,
    })
    await endRun(
      db,
      { organizationId, runId: run.id, actor: await actorOfRun(db, organizationId, run) },
      how,
    )
  })
}

/** A state that could not be saved is the only trace of what was made: it is kept, though never made current. */
async function keepAside(deps: Deps, loaded: LoadedRun, body: Buffer): Promise<void> {
  const { organizationId, run } = loaded
  let serial = 0
  let lineage = 'unknown'
  try {
    const state = JSON.parse(body.toString())
    serial = Number.isSafeInteger(state.serial) ? state.serial : 0
    lineage = typeof state.lineage === 'string' ? state.lineage : lineage
  } catch {
    // Half a state is still more than none.
  }
  const bodySha256 = createHash('sha256').update(body).digest('hex')
  await retryWhileUnavailable(
    async () =>
      deps.store.tenant(organizationId, async (db) => {
        const versions = stateVersions(db, organizationId)
        // The state endpoint has kept what it refused.
        const kept = await versions.quarantinedOfRun(run.id)
        if (kept.some((version) => version.bodySha256 === bodySha256)) return
        await versions.create({
          workspaceId: run.workspaceId,
          serial,
          lineage,
          status: 'quarantined',
          reason: 'state_save_failed',
          body: deps.keyring.seal(
            { organizationId, table: 'state_versions', column: 'body' },
            body,
          ),
          bodySha256,
          workspaceRunId: run.id,
          createdBy: `run ${run.id}`,
        })
      }),
    patienceMs,
  )
}
