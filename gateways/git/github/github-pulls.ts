import type { Octokit } from '@octokit/rest'
import { changesBetween } from '../../../domain/git/changes-between.ts'
import { place } from './github-repository.ts'
import type { GithubFiles } from './github-trees.ts'
import { maxChanges } from '../git-host.ts'
import { maxCommentPages, type FoundPull, type GitPulls } from '../git-pulls.ts'
import { isStatus } from '../git-refusal.ts'
import { hasCode } from '../head-moved.ts'
import { inTurns } from '../in-turns.ts'

const perPage = 100

export function githubPulls(octokit: Octokit, filesOf: GithubFiles): GitPulls {
  const { rest } = octokit
  return {
    pull: async (name, number) => {
      try {
        const { data } = await rest.pulls.get({ ...place(name), pull_number: number })
        return {
          number,
          open: data.state === 'open',
          into: data.base.ref,
          from: data.head.ref,
          // A fork that was deleted has no repository any more.
          fork: (data.head.repo as { id: number } | null)?.id !== data.base.repo.id,
        }
      } catch (error) {
        if (isStatus(error, 404)) return null
        throw error
      }
    },

    closePull: async (name, { from, into }) => {
      const { owner, repo } = place(name)
      const { data: open } = await rest.pulls.list({
        owner,
        repo,
        head: `${owner}:${from}`,
        base: into,
        state: 'open',
      })
      // Not every server heeds the filter.
      const found = open.find(({ head, base }) => head.ref === from && base.ref === into)
      if (!found) return false
      await rest.pulls.update({ owner, repo, pull_number: found.number, state: 'closed' })
      return true
    },

    changedPaths: async (name, pull) => changedPaths({ octokit, filesOf }, name, pull),

    findComment: async (name, { number, words }) => {
      for (let page = 1; page <= maxCommentPages; page += 1) {
        const { data } = await rest.issues.listComments({
          ...place(name),
          issue_number: number,
          per_page: perPage,
          page,
        })
        const found = data.find(({ body }) => body?.includes(words))
        if (found) return String(found.id)
        if (data.length < perPage) break
      }
      return null
    },

    writeComment: async (name, { number, id, body }) => {
      if (id === null) {
        const { data } = await rest.issues.createComment({
          ...place(name),
          issue_number: number,
          body,
        })
        return String(data.id)
      }
      try {
        await rest.issues.updateComment({ ...place(name), comment_id: Number(id), body })
        return id
      } catch (error) {
        if (isStatus(error, 403, 404)) return null
        throw error
      }
    },
  }
}

async function changedPaths(
  { octokit, filesOf }: { octokit: Octokit; filesOf: GithubFiles },
  name: string,
  { into, from }: FoundPull,
): Promise<string[] | undefined> {
  const { git, repos } = octokit.rest
  const { data } = await repos.compareCommitsWithBasehead({
    ...place(name),
    basehead: `${into}...${from}`,
    per_page: 1,
  })
  try {
    // Its own list of files ends at 300, so the two trees are compared.
    const [before, after] = await Promise.all(
      [data.merge_base_commit.sha, `heads/${from}`].map(async (at) => {
        const sha = at.startsWith('heads/')
          ? (await git.getRef({ ...place(name), ref: at })).data.object.sha
          : at
        const { data: commit } = await git.getCommit({ ...place(name), commit_sha: sha })
        return filesOf(name, { tree: commit.tree.sha, folder: '' })
      }),
    )
    const changes = await inTurns(changesBetween(before ?? new Map(), after ?? new Map()))
    return changes.map(({ path }) => path)
  } catch (error) {
    if (!hasCode(error, 'git_repository_too_large')) throw error
    // The first page has all files that it tells, however few commits are asked for ("Compare two commits").
    const { files } = data
    if (!files || files.length >= maxChanges) return undefined
    return files.flatMap(({ filename, previous_filename: previous }) =>
      previous === undefined ? [filename] : [previous, filename],
    )
  }
}
