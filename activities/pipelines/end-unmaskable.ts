import { actorOfRun } from '../../store/pipelines/actor-of-run.ts'
import { endRun } from '../../store/pipelines/end-run.ts'
import type { Deps } from '../deps.ts'
import type { LoadedRun } from './load-run.ts'

/**
 * Ends an apply whose secrets cannot all be masked, before it prints a line.
 * Only a plan of before this rule can come here: its values were not looked at when it was made.
 */
export async function endUnmaskable(
  deps: Deps,
  { organizationId, run }: LoadedRun,
  message: string,
): Promise<void> {
  await deps.store.tenant(organizationId, async (db) =>
    endRun(
      db,
      { organizationId, runId: run.id, actor: await actorOfRun(db, organizationId, run) },
      { phase: 'failed', reason: 'apply_errored', message },
    ),
  )
}
