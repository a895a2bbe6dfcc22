import type { RunStep } from '../../workflows/infrastructure/contract.ts'
import type { Deps } from '../deps.ts'
import type { FoundRun } from '../runs/find-run.ts'
import { stepOfRun } from './next-step.ts'
import { recheckGates } from './recheck-gates.ts'
import type { RunWatch } from './watch-run.ts'

const againMs = 60_000

/**
 * Evaluates the gates of a run that waits for approval again, because rules changed. Otherwise
 * people would be asked to approve a plan that may not be applied (docs/runs.md, "Digest").
 */
export async function judgeWhileWaiting(
  deps: Deps,
  found: FoundRun,
  watch: RunWatch,
): Promise<RunStep> {
  try {
    await recheckGates(deps, found, watch.signal)
  } catch (error) {
    // Another worker took over and repeats it.
    if (watch.cause() === 'lost') throw error
    // The run goes on waiting: the gates are evaluated again before the apply in any case.
    if (watch.cause() === undefined) return { next: 'wait', timeoutMs: againMs }
  }
  return stepOfRun(deps, { organizationId: found.organizationId, workspaceRunId: found.run.id })
}
