import { authorsOfCommits, type CommitsOfAuthors } from '../../app/git/authors-of-commits.ts'
import { pushesBetween } from '../../domain/git/pushes-between.ts'
import type { GitHost } from '../../gateways/git/git-host.ts'
import type { Deps } from '../deps.ts'

type PullCommits = {
  repo: string
  /** The branch of the pull request. */
  branch: string
  commit: string
  /** The branch that it is to be merged into. */
  into: string
}

/** The members who are known to have written or pushed the commits of a pull request; none where the host cannot be asked. */
export async function authorsOfPull(
  { store }: Pick<Deps, 'store'>,
  host: GitHost,
  { organizationId, ...pull }: PullCommits & { organizationId: number },
): Promise<number[]> {
  const made = await madeBy(host, pull)
  if (!made) return []
  const { authorUserIds } = await store.tenant(organizationId, async (tenant) =>
    authorsOfCommits(tenant, made),
  )
  return authorUserIds
}

async function madeBy(
  host: GitHost,
  { repo, branch, commit: to, into }: PullCommits,
): Promise<CommitsOfAuthors | undefined> {
  try {
    const from = await host.head(repo, into)
    const commits = await host.authors(repo, { from, to, folders: [''] })
    const told = await host.pushes(repo, branch)
    // With a gap between the branches, every listed push may be of this pull request.
    return { ...commits, pushes: told && (pushesBetween(told, { from, to }) ?? told) }
  } catch {
    // The pull request is planned all the same: its author is unknown in any case.
    return undefined
  }
}
