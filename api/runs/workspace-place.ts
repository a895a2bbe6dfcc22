import { conflict } from '../../domain/errors.ts'
import type { RunPlace } from './present-runs.ts'

type Place = RunPlace & { workspaceId: number | null }

/** The place of a run of a workspace. Refuses a run of an application: none of those waits for a decision. */
export function workspacePlace(place: Place): Place & {
  workspaceRunId: number
  workspaceId: number
} {
  const { workspaceRunId, workspaceId } = place
  if (workspaceRunId === null || workspaceId === null)
    throw conflict(
      'not_runnable',
      'A run of an application pipeline waits for no approval, so there is nothing to decide.',
    )
  return { ...place, workspaceRunId, workspaceId }
}
