import type { Run } from '../api/types.ts'

type Rollbackable = Pick<Run, 'number' | 'artifact' | 'workspaceId'>

/**
 * What a new run of an old release is called: going back, where a newer run exists, else deploying it again.
 * Undefined where the service would refuse it: no kept artifact, or the pipeline has another target now.
 */
export function wayBack(
  { number, artifact, workspaceId }: Rollbackable,
  at: { targetWorkspaceId: number | null; newestNumber: number | undefined; nowMs: number },
): 'roll_back' | 'again' | undefined {
  if (workspaceId === null || workspaceId !== at.targetWorkspaceId || artifact == null)
    return undefined
  if (artifact.keptUntil !== null && Date.parse(artifact.keptUntil) <= at.nowMs) return undefined
  return (number ?? 0) < (at.newestNumber ?? 0) ? 'roll_back' : 'again'
}
