import type { RunCaller } from '../access/caller.ts'
import { AppError, notFound } from '../errors.ts'

/**
 * A run's token reaches the state of its own workspace and nothing else: in its plan to
 * read, in its apply to write. A late write passes here, to be kept aside (runs.md, Sandbox).
 */
export function assertRunMay(
  run: RunCaller,
  workspaceId: number,
  act: 'read' | 'lock' | 'write',
): void {
  if (run.workspaceId !== workspaceId) throw notFound()
  if (run.phase === 'plan' && act !== 'read')
    throw new AppError('forbidden', 'A plan may read the state and not change it.')
  if (!run.current && act !== 'write')
    throw new AppError('unauthenticated', 'This run is over, or another attempt has taken over.')
}
