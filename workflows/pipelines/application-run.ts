import {
  ActivityFailure,
  ApplicationFailure as ActivityFault,
  condition,
  continueAsNew,
  defineSignal,
  proxyActivities,
  setHandler,
  TimeoutFailure,
  workflowInfo,
} from '@temporalio/workflow'
import { decidedSignal } from '../../domain/runs/decided-signal.ts'
import type { BuildActivities, ControlActivities } from '../../activities/index.ts'
import { buildQueue } from '../platform/contract.ts'
import type { ApplicationFailure, ApplicationRunInput, ApplicationStep } from './contract.ts'

const { nextApplicationStep, failApplicationRun, advanceDeployment, endDeployment } =
  proxyActivities<ControlActivities>({
    startToCloseTimeout: '30 seconds',
    retry: { initialInterval: '200 ms', maximumInterval: '5 seconds' },
  })
// It may read the files of the target workspace, and a Git host may be slow.
const { openDeployment } = proxyActivities<ControlActivities>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '200 ms', maximumInterval: '1 minute' },
})
// Neither changes anything outside, so both may be repeated. Lost attempts are counted by the activities
// themselves; these are more, because a host that does not answer is asked for about a quarter of an hour.
const retry = {
  initialInterval: '1 second',
  maximumInterval: '30 seconds',
  maximumAttempts: 35,
} as const
const { fetchSource } = proxyActivities<BuildActivities>({
  taskQueue: buildQueue,
  startToCloseTimeout: '40 minutes',
  summary: 'git fetch, manifest',
  heartbeatTimeout: '15 seconds',
  retry,
})
const { describeArtifact } = proxyActivities<BuildActivities>({
  taskQueue: buildQueue,
  startToCloseTimeout: '30 minutes',
  summary: 'bill of materials',
  heartbeatTimeout: '15 seconds',
  retry,
})
const { signArtifact } = proxyActivities<ControlActivities>({
  startToCloseTimeout: '30 seconds',
  summary: 'provenance',
  // A key may be missing in the keyring until an operator adds it.
  retry,
})
const { buildArtifact } = proxyActivities<BuildActivities>({
  taskQueue: buildQueue,
  startToCloseTimeout: '3 hours',
  summary: 'the steps of the manifest, artifact',
  heartbeatTimeout: '15 seconds',
  retry,
})

/**
 * A run of an application: source, build, bill of materials, signature, deployment. After each step the store says what comes next, so a lost
 * workflow can be started again at any point.
 */
export async function applicationRun(run: ApplicationRunInput): Promise<void> {
  // The signal only wakes. Anybody with a client can send one, so the decision is read from the store.
  let woken = false
  setHandler(defineSignal(decidedSignal), () => void (woken = true))

  // A payload without our MAC was dropped before it got here (worker/drop-unmarked.ts).
  if (!Number.isSafeInteger((run as Partial<ApplicationRunInput> | undefined)?.runId))
    throw ActivityFault.nonRetryable('refused: the input is not ours', 'bad_input')

  for (;;) {
    const step = await nextApplicationStep(run)
    if (step.next === 'over') return
    // A run may wait for days. The store knows its place, so a new history can begin.
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof applicationRun>(run)
    const wait = step.next === 'wait' ? step : await doOrFail(run, step.next)
    if (!wait) continue
    await condition(() => woken, wait.timeoutMs)
    woken = false
  }
}

type Work = Exclude<ApplicationStep['next'], 'wait' | 'over'>

/** Answers how long to wait: for a slot, for hosts, or for another deployment of the pipeline. */
async function doOrFail(
  run: ApplicationRunInput,
  next: Work,
): Promise<{ timeoutMs: number } | undefined> {
  try {
    // Null from the worker of an earlier version, too.
    return (await work[next](run)) ?? undefined
  } catch (error) {
    await failApplicationRun({ ...run, ...causeOf(error, next) })
    return undefined
  }
}

const work: Record<Work, (run: ApplicationRunInput) => Promise<{ timeoutMs: number } | undefined>> =
  {
    source: async (run) => fetchSource(run),
    build: async (run) => buildArtifact(run),
    describe: async (run) => describeArtifact(run),
    async sign(run) {
      await signArtifact(run)
      return undefined
    },
    open: async (run) => openDeployment(run),
    advance,
  }

/** Hosts are told what to do, and say later what came of it. */
async function advance(run: ApplicationRunInput): Promise<{ timeoutMs: number } | undefined> {
  const advanced = await advanceDeployment(run)
  if (advanced.next === 'wait') return advanced
  if (advanced.next === 'end') await endDeployment(run)
  return undefined
}

function causeOf(error: unknown, next: Work): ApplicationFailure {
  const cause = error instanceof ActivityFailure ? error.cause : undefined
  if (cause instanceof TimeoutFailure && next !== 'open' && next !== 'advance')
    return { reason: cause.timeoutType === 'HEARTBEAT' ? 'runner_lost' : 'timed_out' }
  // The fault's code alone: see guardActivity.
  const code = cause instanceof ActivityFault ? cause.type : undefined
  return { reason: failedAs[next], ...(code && { code }) }
}

const failedAs = {
  source: 'source_errored',
  build: 'build_errored',
  describe: 'build_errored',
  sign: 'build_errored',
  open: 'deploy_errored',
  advance: 'deploy_errored',
} as const satisfies Record<Work, ApplicationFailure['reason']>
