import { workspaceRuns } from '../../store/runs/workspace-runs.ts'
import type { Deps } from '../deps.ts'
import type { FoundRun } from './find-run.ts'

/**
 * How long a run waits that nobody wakes: the worker that would have done so was lost, or a slot is free
 * at another worker, which knows nothing of this one's runs.
 */
export const lookAgainMs = 10_000

/**
 * Runs a step in a slot of its organization's share. Over the share, the step is handed back: the run
 * waits in its workflow, so that it holds no slot of the worker.
 */
export async function withinShare<Step>(
  deps: Pick<Deps, 'store' | 'slotShares'>,
  { organizationId, run }: FoundRun,
  step: () => Promise<Step>,
): Promise<Step | { next: 'wait'; timeoutMs: number }> {
  // The step ends a canceled run and starts no program.
  if (run.cancelRequestedAt) {
    deps.slotShares.forget({ organizationId, id: run.id })
    return step()
  }
  const giveBack = await deps.slotShares.take({ organizationId, id: run.id })
  const note = async (waitsForSlotSince: Date | null) =>
    deps.store.tenant(organizationId, async (tenant) =>
      workspaceRuns(tenant).patch(run.id, { waitsForSlotSince }),
    )
  if (!giveBack) {
    if (!run.waitsForSlotSince) await note(new Date())
    return { next: 'wait', timeoutMs: lookAgainMs }
  }
  try {
    if (run.waitsForSlotSince) await note(null)
    return await step()
  } finally {
    giveBack()
  }
}
