import type { RunStep } from '../../workflows/pipelines/contract.ts'
import type { Deps } from '../deps.ts'
import type { LoadedRun } from './load-run.ts'
import { nextStep } from './next-step.ts'
import { recheckGates } from './recheck-gates.ts'
import { watchRun } from './watch-run.ts'

const againMs = 60_000

/**
 * Rules changed while a run waits for approval: its gates judge the stored plan again now
 * (runs.md, Digest), so that nobody is asked to approve what may not be applied.
 */
export async function judgeWhileWaiting(deps: Deps, loaded: LoadedRun): Promise<RunStep> {
  const { organizationId, run } = loaded
  const watch = watchRun(deps, { organizationId, runId: run.id, workspaceId: run.workspaceId })
  try {
    await recheckGates(deps, loaded, watch.signal)
  } catch (error) {
    // Lost to another worker, who does it again.
    if (watch.cause() === 'lost') throw error
    // It goes on waiting: before an apply the gates are asked in any case.
    if (watch.cause() === undefined) return { next: 'wait', timeoutMs: againMs }
  } finally {
    watch.close()
  }
  return nextStep(deps)({ runId: run.id })
}
