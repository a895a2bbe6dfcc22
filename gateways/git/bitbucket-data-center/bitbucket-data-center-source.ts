import {
  authorsPerPage,
  maxAuthorPages,
  maxPushes,
  type GitSource,
  type ListedCommit,
} from '../git-source.ts'
import { isStatus } from '../git-refusal.ts'
import type { JsonClient } from '../json-client.ts'
import { commitWords } from '../read-commit.ts'

type Person = { name?: string; emailAddress?: string }
type Commits = {
  values: Array<{ id: string; author?: Person; committer?: Person; message?: string }>
  isLastPage: boolean
  nextPageStart?: number | null
}

export function bitbucketDataCenterSource(
  client: JsonClient,
  at: (name: string) => string,
  readFiles: GitSource['readFiles'],
): GitSource {
  return {
    readFiles,
    authors: async (name, { from, to, folders }) => {
      const found = new Map<string, ListedCommit>()
      let complete = true
      for (const path of folders) {
        let start = 0
        for (let page = 1; page <= maxAuthorPages; page += 1) {
          const query = { until: to, ...(path && { path }), start, limit: authorsPerPage }
          const commits = await commitsOf(client, `${at(name)}/commits`, { from, query })
          for (const { id, author, committer, message } of commits.values)
            found.set(id, {
              claimed: [author?.emailAddress, committer?.emailAddress].flatMap(
                (email) => email ?? [],
              ),
              // Its API tells nothing of signatures.
              proved: [],
              words: commitWords(id, author?.name, message),
            })
          if (commits.isLastPage || commits.nextPageStart == null) break
          if (page === maxAuthorPages) complete = false
          start = commits.nextPageStart
        }
      }
      return { commits: [...found.values()], complete }
    },

    pushes: async (name, branch) => {
      try {
        const ref = `refs/heads/${branch}`
        const { values } = await client.get<RefChanges>(`${at(name)}/ref-change-activities`, {
          ref,
          limit: maxPushes,
        })
        return values
          .filter(({ refChange }) => refChange.refId === ref)
          .map(({ user, refChange }) => ({
            before: refChange.fromHash,
            after: refChange.toHash,
            // Whoever pushed is an author, but people of its own directory choose their address.
            claimed: user?.emailAddress ? [user.emailAddress] : [],
            proved: [],
          }))
      } catch (error) {
        // For administrators of the repository alone.
        if (isStatus(error, 401, 403, 404)) return null
        throw error
      }
    },
  }
}

type RefChanges = {
  values: Array<{
    user?: Person
    refChange: { refId: string; fromHash: string; toHash: string }
  }>
}

async function commitsOf(
  client: JsonClient,
  address: string,
  { from, query }: { from: string | null; query: Record<string, string | number> },
): Promise<Commits> {
  if (from !== null)
    try {
      return await client.get<Commits>(address, { ...query, since: from })
    } catch (error) {
      // The older commit is gone: the branch's history was written anew.
      if (!isStatus(error, 404)) throw error
    }
  return client.get<Commits>(address, query)
}
