import type { Octokit } from '@octokit/rest'
import { filesOf, place } from './github-host.ts'
import {
  authorsPerPage,
  maxAuthorPages,
  type CommitAuthors,
  type CommitRange,
  type GitSource,
} from './git-source.ts'
import { isStatus } from './git-refusal.ts'
import { asked } from './head-moved.ts'
import { readBlobs } from './read-blobs.ts'

const provider = 'GitHub'

export function githubSource(octokit: Octokit): GitSource {
  return {
    readFiles: async (name, { commit, folders, known }) =>
      asked(provider, async () => {
        const { git } = octokit.rest
        const { data } = await git.getCommit({ ...place(name), commit_sha: commit })
        const listed = new Map<string, string>()
        for (const folder of folders)
          for (const [path, blob] of await filesOf(octokit, name, { tree: data.tree.sha, folder }))
            listed.set(path, blob)
        return readBlobs(listed, known, async (_path, blob) => {
          try {
            const { data: found } = await git.getBlob({ ...place(name), file_sha: blob })
            return Buffer.from(found.content, 'base64')
          } catch (error) {
            if (isStatus(error, 404, 422)) return null
            throw error
          }
        })
      }),

    authors: async (name, range) =>
      asked(provider, async () => {
        const within = range.from === null ? undefined : await commitsBetween(octokit, name, range)
        const found = new Map<string, string[]>()
        let complete = within?.complete ?? true
        for (const path of range.folders)
          complete =
            (await collect(octokit, name, { path, to: range.to, within: within?.shas, found })) &&
            complete
        return { commits: [...found.values()], complete }
      }),
  }
}

/** Its list of commits filters by path but knows no range, its comparison the other way round. */
async function commitsBetween(octokit: Octokit, name: string, { from, to }: CommitRange) {
  const shas = new Set<string>()
  try {
    for (let page = 1; page <= maxAuthorPages; page += 1) {
      const { data } = await octokit.rest.repos.compareCommitsWithBasehead({
        ...place(name),
        basehead: `${from ?? ''}...${to}`,
        per_page: authorsPerPage,
        page,
      })
      for (const { sha } of data.commits) shas.add(sha)
      if (shas.size >= data.total_commits || data.commits.length === 0) break
      if (page === maxAuthorPages) return { shas, complete: false }
    }
    return { shas, complete: true }
  } catch (error) {
    // The older commit is gone: the branch's history was written anew.
    if (isStatus(error, 404)) return undefined
    throw error
  }
}

async function collect(
  octokit: Octokit,
  name: string,
  at: { path: string; to: string; within: Set<string> | undefined; found: Map<string, string[]> },
): Promise<CommitAuthors['complete']> {
  const { path, to, within, found } = at
  for (let page = 1; page <= maxAuthorPages; page += 1) {
    const { data } = await octokit.rest.repos.listCommits({
      ...place(name),
      sha: to,
      ...(path !== '' && { path }),
      per_page: authorsPerPage,
      page,
    })
    const wanted = data.filter(({ sha }) => !within || within.has(sha))
    for (const { sha, commit } of wanted)
      found.set(
        sha,
        [commit.author?.email, commit.committer?.email].flatMap((email) => email ?? []),
      )
    if (data.length < authorsPerPage || wanted.length === 0) return true
  }
  return false
}
