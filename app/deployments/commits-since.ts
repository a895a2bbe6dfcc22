import type { Keyring } from '../../gateways/keyring/keyring.ts'
import type { Outbound } from '../../gateways/outbound/outbound.ts'
import { pushesBetween } from '../../domain/git/pushes-between.ts'
import { maskSecrets } from '../../domain/runs/mask-secrets.ts'
import { stripControls } from '../../domain/secrets/strip-controls.ts'
import type { Store } from '../../store/driver/connect.ts'
import type { GitConnection } from '../../store/git/git-connections.ts'
import type { ReleasedCommit } from '../../store/runs/application-runs.ts'
import { authorsOfCommits } from '../git/authors-of-commits.ts'
import { openHost } from '../git/open-host.ts'

export type CommitsSince = {
  /** Members whom a commit names, whom its signature proves, or who pushed it. */
  authorUserIds: number[]
  /** For some commit or push the host proves no member, or not all of them are known. */
  unknownAuthor: boolean
  commits: ReleasedCommit[]
  truncated: boolean
}

const maxCommits = 100
const mask = maskSecrets([])
/** Whatever the author of a commit wrote. */
const shown = (text: string, most: number): string => mask(stripControls(text), most)

/**
 * The commits of a release that the last good deployment did not have, and who wrote them (docs/runs.md,
 * "Authors"). Where the host cannot say, the author is unknown: a repository that is away makes approving
 * harder, never easier. Called outside of a transaction.
 */
export async function commitsSince(
  deps: { store: Store; keyring: Keyring; outbound: Outbound },
  at: {
    organizationId: number
    connection: GitConnection
    repository: string
    /** The branch whose pushes are asked for; null where none is known. */
    branch: string | null
    from: string | null
    to: string
  },
): Promise<CommitsSince> {
  const { organizationId, connection, repository, branch, from, to } = at
  if (from === to) return { authorUserIds: [], unknownAuthor: false, commits: [], truncated: false }
  try {
    const host = openHost(deps, organizationId, connection)
    const { commits, complete } = await host.authors(repository, { from, to, folders: [''] })
    // The authors of the commits are kept where only the pushes cannot be told.
    const told = branch === null ? null : await host.pushes(repository, branch).catch(() => null)
    const pushes = told && pushesBetween(told, { from, to })
    const authors = await deps.store.tenant(organizationId, async (tenant) =>
      authorsOfCommits(tenant, { commits, complete, pushes }),
    )
    const words = commits.flatMap((commit) => commit.words ?? [])
    return {
      authorUserIds: authors.authorUserIds,
      // The head is among them, unless the branch was moved back.
      unknownAuthor: authors.unknownAuthor || commits.length === 0,
      commits: words.slice(0, maxCommits).map(({ sha, author, message }) => ({
        sha,
        author: shown(author, 300),
        message: shown(message, 500),
      })),
      truncated: !complete || commits.length > maxCommits,
    }
  } catch {
    // The fetch may have worked all the same, so this ends no run.
    return { authorUserIds: [], unknownAuthor: true, commits: [], truncated: true }
  }
}
