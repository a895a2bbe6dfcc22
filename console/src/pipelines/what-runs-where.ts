import type { Agent, Run } from '../api/types.ts'

type Ended = Pick<Run, 'state' | 'artifact' | 'deployment' | 'workspaceId'>

/** The newest run, of those that are listed newest first, that put a release on its target or, without one, ended with an artifact. */
export const lastReleaseOf = <One extends Ended>(
  runs: readonly One[],
  targetWorkspaceId: number | null,
): One | undefined =>
  runs.find(
    ({ state, artifact, deployment, workspaceId }) =>
      state === 'succeeded' &&
      artifact != null &&
      workspaceId === targetWorkspaceId &&
      (targetWorkspaceId === null || deployment != null),
  )

type Host = Pick<Agent, 'release'>

/** How many hosts have these bytes. */
export const spreadOf = (hosts: readonly Host[], digest: string | undefined): { have: number } => ({
  have: hosts.filter(({ release }) => digest !== undefined && release?.digest === digest).length,
})

export type ReleaseGroup = { digest: string | null; runId: number | null; count: number }

/** The releases that hosts run, the most common first; hosts without one are last. */
export function releaseGroups(hosts: readonly Host[]): ReleaseGroup[] {
  const groups = new Map<string | null, ReleaseGroup>()
  for (const { release } of hosts) {
    const digest = release?.digest ?? null
    const group = groups.get(digest) ?? { digest, runId: null, count: 0 }
    // Two runs can release the same bytes: the newer one is named.
    const runId = Math.max(group.runId ?? 0, release?.runId ?? 0)
    groups.set(digest, { digest, runId: runId === 0 ? null : runId, count: group.count + 1 })
  }
  return [...groups.values()].toSorted(
    (a, b) => Number(a.digest === null) - Number(b.digest === null) || b.count - a.count,
  )
}
