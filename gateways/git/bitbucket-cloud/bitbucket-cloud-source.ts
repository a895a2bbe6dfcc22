import { authorsPerPage, maxAuthorPages, type GitSource, type ListedCommit } from '../git-source.ts'
import { isStatus } from '../git-refusal.ts'
import { inPath, type JsonClient } from '../json-client.ts'
import { commitWords } from '../read-commit.ts'

type Commits = {
  values: Array<{ hash: string; author?: { raw?: string }; message?: string }>
  next?: string
}

const maxAuthorLength = 1_000
export function bitbucketCloudSource(
  client: JsonClient,
  readFiles: GitSource['readFiles'],
): GitSource {
  return {
    readFiles,
    authors: async (name, { from, to, folders }) => {
      const found = new Map<string, ListedCommit>()
      let complete = true
      for (const path of folders)
        for (let page = 1; page <= maxAuthorPages; page += 1) {
          const { values, next } = await commitsOf(client, name, { from, to, path, page })
          // It tells the author alone, as "Name <address>", and nothing of signatures.
          for (const { hash, author, message } of values) {
            // The patterns take the square of its length.
            const raw = author?.raw?.slice(0, maxAuthorLength)
            found.set(hash, {
              claimed: [/<([^<>]+)>\s*$/.exec(raw ?? '')?.[1] ?? ''],
              proved: [],
              words: commitWords(hash, raw?.replace(/\s*<[^<>]*>\s*$/, ''), message),
            })
          }
          if (!next) break
          if (page === maxAuthorPages) complete = false
        }
      return { commits: [...found.values()], complete }
    },
    // No part of its API tells who pushed.
    pushes: async () => null,
  }
}

async function commitsOf(
  client: JsonClient,
  name: string,
  at: { from: string | null; to: string; path: string; page: number },
): Promise<Commits> {
  const { from, to, path, page } = at
  const address = `/repositories/${inPath(name)}/commits/${to}`
  const query = { pagelen: authorsPerPage, page, ...(path && { path }) }
  if (from !== null)
    try {
      return await client.get<Commits>(address, { ...query, exclude: from })
    } catch (error) {
      // The older commit is gone: the branch's history was written anew.
      if (!isStatus(error, 404)) throw error
    }
  return client.get<Commits>(address, query)
}
