import { unifiedDiff } from '../../domain/git/unified-diff.ts'
import type { Keyring } from '../../gateways/keyring/keyring.ts'
import {
  placeOfDifferences,
  type Difference,
  type GitHydration,
} from '../../store/git/git-hydrations.ts'
import type { HydrationBody, HydrationDetail } from './hydration-schemas.ts'

export function presentHydration(row: GitHydration): HydrationBody {
  const { id, configurationVersionId, connectionId, branch, state, reason, decision } = row
  return {
    id,
    configurationVersionId,
    connectionId,
    branch,
    state,
    reason,
    decision,
    commitSha: row.commitSha,
    pullRequestUrl: row.pullRequestUrl,
    createdAt: row.createdAt.toISOString(),
    endedAt: row.endedAt?.toISOString() ?? null,
  }
}

export const presentHydrationDetail = (
  keyring: Keyring,
  organizationId: number,
  row: GitHydration,
): HydrationDetail => ({
  ...presentHydration(row),
  differences: differencesOf(keyring, organizationId, row).map(({ path, ours, theirs }) => ({
    path,
    ours,
    theirs,
    diff: unifiedDiff(path, ours, theirs),
  })),
})

export function differencesOf(
  keyring: Keyring,
  organizationId: number,
  { differences }: Pick<GitHydration, 'differences'>,
): Difference[] {
  if (!differences) return []
  // Sealed by hydrate-files.ts, in this shape.
  return JSON.parse(
    keyring.open(placeOfDifferences(organizationId), differences).toString(),
  ) as Difference[]
}
