import { longestLine, waitInLineMs } from '../../domain/runs/wait-in-line.ts'
import { lineOfApplications } from '../../store/runs/line-of-applications.ts'
import type { ApplicationStep } from '../../workflows/pipelines/contract.ts'
import type { Deps } from '../deps.ts'

/** The run waits for a place or a slot, at least `leastMs`, and longer the more runs of its organization wait. */
export async function waitInLine(
  { store }: Pick<Deps, 'store'>,
  organizationId: number,
  leastMs: number,
): Promise<Extract<ApplicationStep, { next: 'wait' }>> {
  const waiting = await lineOfApplications(store, organizationId, longestLine)
  return { next: 'wait', timeoutMs: waitInLineMs(waiting, { leastMs, random: Math.random() }) }
}
