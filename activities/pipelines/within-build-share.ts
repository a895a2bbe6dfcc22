import { Context } from '@temporalio/activity'
import { applicationAttempts } from '../../store/runs/application-attempts.ts'
import type { ApplicationStep } from '../../workflows/pipelines/contract.ts'
import type { Deps } from '../deps.ts'
import { lookAgainMs } from '../runs/within-share.ts'
import { waitInLine } from './wait-in-line.ts'

/** A step that was handed back. */
export type HandedBack = Extract<ApplicationStep, { next: 'wait' }>

/**
 * Runs a step of an application in a slot of its organization's share (docs/decisions/0117). Over the
 * share it is handed back before an attempt is counted: the run waits in its workflow.
 */
export async function withinBuildShare(
  deps: Pick<Deps, 'store' | 'builds'>,
  { organizationId, runId }: { organizationId: number; runId: number },
  step: () => Promise<void>,
): Promise<HandedBack | undefined> {
  const { store, builds } = deps
  const giveBack = await builds.slotShares.take({ organizationId, id: runId })
  if (!giveBack) {
    const engineRunId = Context.current().info.workflowExecution?.runId ?? 'unknown'
    await store.tenant(organizationId, async (tenant) =>
      applicationAttempts(tenant, runId).noteWaitForSlot(engineRunId),
    )
    return waitInLine(deps, organizationId, lookAgainMs)
  }
  try {
    await step()
    return undefined
  } finally {
    giveBack()
  }
}
