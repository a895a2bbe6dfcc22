import { conflict } from '../../domain/errors.ts'
import type { RunPlace } from './present-runs.ts'

type Place = RunPlace & { workspaceId: number | null }

/** The place of a run of a workspace. Refuses a run of an application: nothing carries such a run out. */
export function workspacePlace(place: Place): Place & {
  workspaceRunId: number
  workspaceId: number
} {
  const { workspaceRunId, workspaceId } = place
  if (workspaceRunId === null || workspaceId === null)
    throw conflict(
      'not_runnable',
      'Runs of application pipelines are not carried out yet, so none can be decided or canceled.',
    )
  return { ...place, workspaceRunId, workspaceId }
}
