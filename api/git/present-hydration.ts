import type { ShownDifference } from '../../domain/git/show-differences.ts'
import type { Keyring } from '../../gateways/keyring/keyring.ts'
import {
  placeOfDifferences,
  placeOfShown,
  type Difference,
  type GitHydration,
  type HydrationSummary,
} from '../../store/git/git-hydrations.ts'
import type { HydrationBody, HydrationDetail } from './hydration-schemas.ts'

export function presentHydration(row: HydrationSummary): HydrationBody {
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
  row: HydrationSummary & Pick<GitHydration, 'shownDifferences'>,
): HydrationDetail => ({ ...presentHydration(row), ...shownOf(keyring, organizationId, row) })

function shownOf(
  keyring: Keyring,
  organizationId: number,
  { id, shownDifferences }: Pick<GitHydration, 'id' | 'shownDifferences'>,
): ShownDifferences {
  if (!shownDifferences) return { differences: [], omittedDifferences: 0 }
  // Sealed by hydrate-files.ts, in this shape.
  return JSON.parse(
    keyring.open(placeOfShown(organizationId, id), shownDifferences).toString(),
  ) as ShownDifferences
}

export type ShownDifferences = { differences: ShownDifference[]; omittedDifferences: number }

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
