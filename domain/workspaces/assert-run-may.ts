import type { RunCaller } from '../access/caller.ts'
import { AppError, notFound } from '../errors.ts'

/**
 * What a run's token may do with a state: in its plan read, in its apply write, of its own workspace
 * alone. A late write is let through here, because the writer keeps it as a quarantined version.
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
