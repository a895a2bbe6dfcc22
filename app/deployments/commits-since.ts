import type { Keyring } from '../../gateways/keyring/keyring.ts'
import type { Outbound } from '../../gateways/outbound/outbound.ts'
import { maskSecrets } from '../../domain/runs/mask-secrets.ts'
import { stripControls } from '../../domain/secrets/strip-controls.ts'
import type { Store } from '../../store/driver/connect.ts'
import type { GitConnection } from '../../store/git/git-connections.ts'
import type { ReleasedCommit } from '../../store/runs/application-runs.ts'
import { users } from '../../store/users/users.ts'
import { openHost } from '../git/open-host.ts'

export type CommitsSince = {
  /** Members whom a commit names, or whom its signature proves. */
  authorUserIds: number[]
  /** For some commit the host proves no member, or not all commits are known. */
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
    from: string | null
    to: string
  },
): Promise<CommitsSince> {
  const { organizationId, connection, repository, from, to } = at
  if (from === to) return { authorUserIds: [], unknownAuthor: false, commits: [], truncated: false }
  try {
    const host = openHost(deps, organizationId, connection)
    const { commits, complete } = await host.authors(repository, { from, to, folders: [''] })
    const members = await deps.store.tenant(organizationId, async (tenant) =>
      users(tenant).listByEmails(commits.flatMap(({ claimed, proved }) => [...claimed, ...proved])),
    )
    const known = new Set(members.map(({ email }) => email?.toLowerCase()))
    const words = commits.flatMap((commit) => commit.words ?? [])
    return {
      authorUserIds: members.map(({ id }) => id),
      unknownAuthor:
        !complete ||
        // The head is among them, unless the branch was moved back.
        commits.length === 0 ||
        commits.some(({ proved }) => !proved.some((email) => known.has(email.toLowerCase()))),
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
