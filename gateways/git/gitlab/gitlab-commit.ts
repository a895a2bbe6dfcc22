import type { CommitRequest } from '../git-host.ts'
import { GitRefusal, isStatus, refusalOf } from '../git-refusal.ts'
import { gitlabHead, type GitlabApi } from './gitlab-api.ts'
import { branchProtected, headMoved } from '../head-moved.ts'

const atOnce = 8

/**
 * GitLab commits on top of whatever the branch's head is then, so the expectation goes into each
 * file: `create` refuses one that is there, and `last_commit_id` one that was touched since the
 * expected head. What somebody else changed in between is never overwritten.
 */
export async function commitToGitlab(
  api: GitlabApi,
  name: string,
  { branch, expectedHead, message, change, found }: CommitRequest,
): Promise<string> {
  const paths = [...Object.keys(change.write), ...change.remove]
  const head = await gitlabHead(api, name, branch)
  if (head !== expectedHead) throw headMoved()
  if (paths.length === 0 && expectedHead) return expectedHead
  const known = expectedHead
    ? await lastCommits(api, name, {
        // A file that was wrongly held for new is refused by `create`.
        paths: paths.filter((path) => found?.has(path) ?? true),
        commit: expectedHead,
      })
    : new Map<string, string>()

  const actions = [
    ...Object.entries(change.write).map(([filePath, content]) => {
      const lastCommitId = known.get(filePath)
      return lastCommitId
        ? { action: 'update' as const, filePath, content, lastCommitId }
        : { action: 'create' as const, filePath, content }
    }),
    ...change.remove.flatMap((filePath) => {
      const lastCommitId = known.get(filePath)
      return lastCommitId ? [{ action: 'delete' as const, filePath, lastCommitId }] : []
    }),
  ]
  try {
    const commit = await api.Commits.create(name, branch, message, actions)
    return commit.id
  } catch (error) {
    throw await whyNot(api, { name, branch, expectedHead }, error)
  }
}

async function lastCommits(
  api: GitlabApi,
  name: string,
  { paths, commit }: { paths: string[]; commit: string },
): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (let from = 0; from < paths.length; from += atOnce)
    await Promise.all(
      paths.slice(from, from + atOnce).map(async (path) => {
        try {
          const { last_commit_id: id } = await api.RepositoryFiles.show(name, path, commit)
          found.set(path, id)
        } catch (error) {
          if (!isStatus(error, 404)) throw error
        }
      }),
    )
  return found
}

async function whyNot(
  api: GitlabApi,
  at: { name: string; branch: string; expectedHead: string | null },
  error: unknown,
): Promise<unknown> {
  const refusal = refusalOf(error)
  if (!(refusal instanceof GitRefusal) || !isStatus(error, 400, 403, 409, 422)) return error
  const reason = refusal.reason ?? ''
  if (/not allowed to (push|commit)|protected/i.test(reason)) return branchProtected(reason)
  const changed = /has changed|already exists|doesn't exist|could not update|refresh/i.test(reason)
  return changed || (await gitlabHead(api, at.name, at.branch)) !== at.expectedHead
    ? headMoved()
    : error
}
