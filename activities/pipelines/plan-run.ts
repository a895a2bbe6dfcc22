import { Context } from '@temporalio/activity'
import { newToken } from '../../domain/access/credentials.ts'
import { hasModule } from '../../domain/workspaces/configuration-files.ts'
import {
  overriddenIn,
  refusalInWords,
  refusedIn,
} from '../../domain/workspaces/refused-configuration.ts'
import { AppError } from '../../domain/errors.ts'
import { advise } from '../../domain/pipelines/advise.ts'
import { adviseOnModules } from '../../domain/pipelines/advise-on-modules.ts'
import { maskSecrets } from '../../domain/pipelines/mask-secrets.ts'
import { firstError, tofuMessages, type Message } from '../../domain/pipelines/tofu-messages.ts'
import type { RunReason } from '../../domain/pipelines/run-state.ts'
import { messageOfUnusableFile } from '../../gateways/sandbox/unusable-file.ts'
import type { StepEnd } from '../../gateways/sandbox/workbench.ts'
import { comparePlan, readPlanFile } from '../../gateways/tofu/plan-file/compare-plan-file.ts'
import { PlanForged } from '../../gateways/tofu/plan-file/plan-forged.ts'
import { tofu } from '../../gateways/tofu/tofu.ts'
import { workspaceRuns } from '../../store/pipelines/workspace-runs.ts'
import { tokens } from '../../store/tokens/tokens.ts'
import type { InfrastructureRunInput, RunStep } from '../../workflows/pipelines/contract.ts'
import type { Deps } from '../deps.ts'
import { GivenUp } from '../guard-activity.ts'
import { retryWhileUnavailable } from '../retry-while-unavailable.ts'
import { howKilled } from './how-killed.ts'
import { judgeGates } from './judge-gates.ts'
import { judgeWhileWaiting } from './judge-while-waiting.ts'
import { loadRun, type LoadedRun } from './load-run.ts'
import { nextStep } from './next-step.ts'
import { openGitRelay } from './open-git-relay.ts'
import { recordPlan, recordPlanFailure } from './record-plan.ts'
import { sayIgnored } from './say-ignored.ts'
import { openStageLog, type StageLog } from './stage-log.ts'
import { watchRun, type RunWatch } from './watch-run.ts'

export const planTimeoutMs = 30 * 60_000
/** A plan that is lost with its worker is made again, at most twice (runs.md, Transitions). */
const maxBegun = 3
/** As much of what `init` says as tells why it failed. */
const maxSaid = 200
const workFolderBytes = 2 * 1024 ** 3

/** A plan that did not come about, with why in our own words. */
class PlanFailure extends Error {
  readonly reason: RunReason
  constructor(reason: RunReason, message: string) {
    super(message)
    this.reason = reason
  }
}

/**
 * Plans a run: init, plan and show in the sandbox, then both gates over what `show` read
 * from the plan file. A plan changes nothing, so a lost one is simply made again. Of a run
 * that waits for approval it judges the plan that there is.
 */
export const planRun =
  (deps: Deps) =>
  async (input: InfrastructureRunInput): Promise<RunStep> => {
    const loaded = await loadRun(deps, input.runId, 'plan')
    const { organizationId, run } = loaded
    if (run.phase === 'awaiting_approval') return judgeWhileWaiting(deps, loaded)
    if (run.phase !== 'planning') return nextStep(deps)(input)
    if (run.cancelRequestedAt) {
      await recordPlanFailure(deps, loaded, { reason: 'canceled_by_user', message: 'Canceled.' })
      return nextStep(deps)(input)
    }

    // Counted here and not by the engine, for which a worker that hangs and never began is a try as well.
    const begun = await deps.store.tenant(organizationId, async (db) =>
      tokens(db, organizationId).countRunTokens(run.id, 'plan'),
    )
    if (begun >= maxBegun) {
      const message = `The worker was lost while planning, ${maxBegun} times. Start a new run.`
      await recordPlanFailure(deps, loaded, { reason: 'runner_lost', message })
      return nextStep(deps)(input)
    }

    if (loaded.unmaskable !== undefined) {
      const message = loaded.unmaskable
      await recordPlanFailure(deps, loaded, { reason: 'plan_errored', message })
      return nextStep(deps)(input)
    }

    const secret = newToken('run')
    const log = openStageLog({
      store: deps.store,
      organizationId,
      stageId: loaded.stageIds['plan'] ?? 0,
      mask: maskSecrets([...loaded.secrets, secret.plain]),
    })
    const watch = watchRun(deps, {
      organizationId,
      runId: run.id,
      workspaceId: run.workspaceId,
    })
    try {
      const { workflowExecution } = Context.current().info
      if (begun > 0) {
        await log.write('warn', 'The worker was lost. Planning again.')
        // Now, since this worker may be lost as well.
        await log.flush()
      }
      await deps.store.tenant(organizationId, async (db) => {
        await workspaceRuns(db, organizationId).patch(run.id, {
          engineRunId: workflowExecution?.runId ?? deps.worker,
        })
        await tokens(db, organizationId).createRunToken({
          workspaceRunId: run.id,
          runPhase: 'plan',
          fence: loaded.workspace.fence,
          hash: secret.hash,
          prefix: secret.prefix,
          hours: 1,
        })
      })
      await planInSandbox(deps, loaded, { log, watch, token: secret.plain })
    } catch (error) {
      const failure = toFailure(error, watch)
      if (failure) failure.message = log.mask(failure.message)
      // A worker that is told to stop is not lost: its try is given back, as far as the store is there to hear it.
      if (!failure && deps.stopping.aborted)
        await deps.store
          .tenant(organizationId, async (db) =>
            tokens(db, organizationId).forgetRunToken(run.id, secret.hash),
          )
          .catch(() => undefined)
      // Not ours to end: somebody else ended the run, or the engine will try again.
      if (!failure) throw begun + 1 < maxBegun || watch.cause() ? error : new GivenUp(error)
      await log.write('error', failure.message)
      await log.close()
      await retryWhileUnavailable(async () => recordPlanFailure(deps, loaded, failure))
    } finally {
      watch.close()
      await log.close()
    }
    return retryWhileUnavailable(async () => nextStep(deps)(input))
  }

async function planInSandbox(
  deps: Deps,
  loaded: LoadedRun,
  { log, watch, token }: { log: StageLog; watch: RunWatch; token: string },
): Promise<void> {
  const { run, organizationId, workspace } = loaded
  // The workspace's path may be another one than when these files were taken.
  if (!hasModule(Object.keys(loaded.files), workspace.path))
    throw new PlanFailure(
      'plan_errored',
      `The configuration has no .tf file in ${workspace.path || 'its top folder'}, where OpenTofu works.`,
    )
  // A version that was stored before this was refused.
  const [refused] = refusedIn(loaded.files)
  if (refused) throw new PlanFailure('plan_errored', refusalInWords(refused))
  const relay = await openGitRelay(deps, loaded, (level, line) => {
    // The log keeps its order by itself, and nobody here could wait for it.
    log.write(level, line).catch(() => undefined)
  })
  const bench = await deps.sandbox.open({
    label: `run-${run.id}-plan`,
    sizeBytes: workFolderBytes,
    statePath: `/api/workspaces/${run.workspaceId}/state`,
    gitRelay: relay?.server,
  })
  try {
    let error: string | undefined
    const said: string[] = []
    const tool = tofu({
      bench,
      token,
      env: loaded.env,
      folder: workspace.path,
      cliConfig: deps.cliConfig,
      timeoutMs: planTimeoutMs,
      signal: watch.signal,
      onLine: async (stream, output) => {
        const line = relay?.hide(output) ?? output
        const told = error === undefined ? firstError(line) : undefined
        if (told !== undefined) error = advise(told, run.workspaceId)
        const messages: Message[] =
          stream === 'stderr' ? [{ level: 'error', line }] : tofuMessages(line)
        for (const message of messages) {
          if (message.level === 'error' && said.length < maxSaid) said.push(message.line)
          await log.write(message.level, message.line)
        }
      },
    })
    await sayIgnored(log, loaded)
    await tool.prepare(loaded.files)
    for (const name of await settleVariables(tool, loaded))
      await log.write(
        'warn',
        `The configuration declares no variable "${name}": what the run sets for it is ignored.`,
      )
    for (const { file, type, line } of overriddenIn(loaded.files, workspace.path))
      await log.write(
        'warn',
        `The "${type}" block in ${file}, line ${line}, is not used: the state is kept by this service.`,
      )
    await relay?.learn(bench, watch.signal)
    const gitEnv = relay?.environment(bench.gitUrl, loaded.env)
    const init = await tool.init({ gitEnv })
    // Nothing that a plan's code starts from here on can read a repository.
    relay?.close()
    assertWell(init, 'init', relay?.refusal() ?? adviseOnModules(said) ?? error)
    if (!(await tool.usesOwnBackend()))
      throw new PlanFailure(
        'plan_errored',
        'The configuration chooses another backend by an override file. Remove it: the state belongs to the workspace.',
      )
    const lockFile = (await tool.readLockFile()) ?? null
    const modules = await keepModules(tool, log)
    assertWell(await tool.plan({ destroy: run.destroy }), 'plan', error)
    const planFile = await tool.readPlanFile()
    // An absent plan is never "nothing to do" (runs.md, "What may never happen" 6).
    if (!planFile) throw new PlanFailure('plan_errored', 'OpenTofu left no plan file.')
    const plan = orForged(() => readPlanFile(planFile))
    const shown = await tool.show(lockFile)
    assertWell(shown, 'show', error)
    const planJson = orForged((): unknown => JSON.parse(shown.stdout.toString()))
    orForged(() => comparePlan(plan, planJson))

    await log.write('info', 'Judging the plan by policies and cost.')
    const judgement = await judgeGates(deps, organizationId, {
      run,
      planJson,
      sensitiveVariables: loaded.sensitiveVariables,
      secrets: loaded.secrets,
      signal: watch.signal,
    })
    await log.close()
    await retryWhileUnavailable(async () =>
      recordPlan(deps, loaded, { planFile, lockFile, modules, planJson, judgement }),
    )
  } finally {
    relay?.close()
    await bench.close()
  }
}

/** Names of overrides that the configuration does not know; a refusal of the variables ends the run. */
async function settleVariables(
  tool: ReturnType<typeof tofu>,
  { files, overrides }: LoadedRun,
): Promise<string[]> {
  return toPlanFailure(async () => tool.settleVariables(files, overrides))
}

/** Reads what code of a plan's author may have forged. */
function orForged<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof PlanForged) throw new PlanFailure('plan_forged', error.message)
    if (error instanceof SyntaxError)
      throw new PlanFailure('plan_forged', 'What was read from the plan file is no JSON.')
    throw error
  }
}

async function toPlanFailure<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof AppError && messageOfUnusableFile(error) === undefined)
      throw new PlanFailure('plan_errored', error.message)
    throw error
  }
}

async function keepModules(tool: ReturnType<typeof tofu>, log: StageLog): Promise<Buffer | null> {
  return toPlanFailure(async () => {
    const kept = await tool.keepModules()
    for (const { module, commit } of kept?.commits ?? [])
      await log.write('info', `Module ${module} is at commit ${commit}.`)
    return kept?.archive ?? null
  })
}

function assertWell(end: StepEnd, what: string, error: string | undefined): void {
  if (end.how === 'exited' && end.exitCode === 0) return
  if (end.how === 'timed_out')
    throw new PlanFailure('timed_out', `tofu ${what} took longer than a plan may take.`)
  if (end.how === 'silent')
    throw new PlanFailure('timed_out', `tofu ${what} said nothing for 10 minutes.`)
  const ended = howKilled(end) ?? `ended with code ${end.exitCode ?? 'unknown'}`
  throw new PlanFailure('plan_errored', error ? `tofu ${what}: ${error}` : `tofu ${what} ${ended}.`)
}

function toFailure(error: unknown, watch: RunWatch): PlanFailure | undefined {
  if (watch.cause() === 'canceled') return new PlanFailure('canceled_by_user', 'Canceled.')
  if (watch.cause()) return undefined
  if (error instanceof PlanFailure) return error
  const planted = messageOfUnusableFile(error)
  return planted === undefined ? undefined : new PlanFailure('plan_errored', `${planted}.`)
}
