import type { GitlabApi } from './gitlab-host.ts'
import { authorsPerPage, maxAuthorPages, type GitSource } from './git-source.ts'
import { isStatus } from './git-refusal.ts'
import { asked } from './head-moved.ts'
import { readBlobs } from './read-blobs.ts'

const provider = 'GitLab'

export function gitlabSource(
  api: GitlabApi,
  list: (name: string, at: { commit: string; folder: string }) => Promise<Map<string, string>>,
): GitSource {
  return {
    readFiles: async (name, { commit, folders, known }) =>
      asked(provider, async () => {
        const listed = new Map<string, string>()
        for (const folder of folders)
          for (const [path, blob] of await list(name, { commit, folder })) listed.set(path, blob)
        return readBlobs(listed, known, async (path) => {
          try {
            const file = await api.RepositoryFiles.show(name, path, commit)
            return Buffer.from(file.content, 'base64')
          } catch (error) {
            if (isStatus(error, 404)) return null
            throw error
          }
        })
      }),

    authors: async (name, { from, to, folders }) =>
      asked(provider, async () => {
        const found = new Map<string, string[]>()
        let complete = true
        for (const path of folders) {
          const commits = await commitsOf(api, name, { from, to, path })
          complete &&= commits.length < authorsPerPage * maxAuthorPages
          for (const commit of commits)
            found.set(commit.id, [commit.author_email, commit.committer_email])
        }
        return { commits: [...found.values()], complete }
      }),
  }
}

type Commit = { id: string; author_email: string; committer_email: string }

async function commitsOf(
  api: GitlabApi,
  name: string,
  { from, to, path }: { from: string | null; to: string; path: string },
): Promise<Commit[]> {
  const options = { perPage: authorsPerPage, maxPages: maxAuthorPages, ...(path && { path }) }
  const asCommits = (found: ReadonlyArray<Record<string, unknown>>) =>
    // As documented ("Commits API"); the library leaves some of it open.
    found as ReadonlyArray<Record<string, unknown> & Commit> as Commit[]
  if (from !== null)
    try {
      return asCommits(await api.Commits.all(name, { ...options, refName: `${from}..${to}` }))
    } catch (error) {
      // The older commit is gone: the branch's history was written anew.
      if (!isStatus(error, 400, 404)) throw error
    }
  return asCommits(await api.Commits.all(name, { ...options, refName: to }))
}
