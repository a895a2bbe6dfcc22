import { gitlabList, type GitlabApi } from './gitlab-api.ts'
import type { GitlabCompare } from './gitlab-compare.ts'
import { maxCommentPages, type GitPulls } from '../git-pulls.ts'
import { isStatus } from '../git-refusal.ts'
import { hasCode } from '../head-moved.ts'

export function gitlabPulls(api: GitlabApi, compare: GitlabCompare): GitPulls {
  return {
    pull: async (name, number) => {
      try {
        const found = await api.MergeRequests.show(name, number)
        return {
          number,
          open: found.state === 'opened',
          into: found.target_branch,
          from: found.source_branch,
          fork: found.source_project_id !== found.target_project_id,
        }
      } catch (error) {
        if (isStatus(error, 404)) return null
        throw error
      }
    },

    closePull: async (name, between) => closePull(api, name, between),

    changedPaths: async (name, { into, from }) => {
      try {
        // Not straight: against where the one branch left the other.
        const diffs = await compare(name, { from: into, to: from, straight: false })
        return [...new Set(diffs.flatMap((diff) => [diff.old_path, diff.new_path]))]
      } catch (error) {
        if (hasCode(error, 'git_repository_too_large')) return undefined
        throw error
      }
    },

    findComment: async (name, { number, words }) => {
      const order = { sort: 'asc', orderBy: 'created_at' } as const
      const notes = gitlabList(maxCommentPages, async (at) =>
        api.MergeRequestNotes.all(name, number, { ...order, ...at }),
      )
      for await (const { id, body } of notes) if (body.includes(words)) return String(id)
      return null
    },

    writeComment: async (name, { number, id, body }) => {
      if (id === null) return String((await api.MergeRequestNotes.create(name, number, body)).id)
      try {
        await api.MergeRequestNotes.edit(name, number, Number(id), { body })
        return id
      } catch (error) {
        if (isStatus(error, 403, 404)) return null
        throw error
      }
    },
  }
}

async function closePull(
  api: GitlabApi,
  name: string,
  { from, into }: { from: string; into: string },
): Promise<boolean> {
  const [found] = await api.MergeRequests.all({
    projectId: name,
    sourceBranch: from,
    targetBranch: into,
    state: 'opened',
    perPage: 1,
  })
  if (!found) return false
  await api.MergeRequests.edit(name, found.iid, { stateEvent: 'close' })
  return true
}
