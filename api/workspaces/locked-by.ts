import { AppError } from '../../domain/errors.ts'
import type { WorkspaceLock } from '../../store/workspaces/workspace-locks.ts'

/** The refusal with the lock's holder, time and reason. */
export function lockedBy({ label, since, reason }: WorkspaceLock): AppError {
  const why = reason ? ` (${reason})` : ''
  return new AppError('locked', `Locked by ${label} since ${since.toISOString()}${why}.`)
}
