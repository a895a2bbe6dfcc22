import type { Octokit } from '@octokit/rest'
import { place } from './github-repository.ts'
import type { CommitRequest } from '../git-host.ts'
import { GitRefusal, isStatus, refusalOf } from '../git-refusal.ts'
import { branchProtected, headMoved } from '../head-moved.ts'

const fileMode = '100644' as const

/**
 * Tree, commit, ref. The ref is never forced, and the commit's one parent is the expected head:
 * so if the branch has moved on meanwhile this is no fast-forward, and GitHub refuses it.
 */
export async function commitToGithub(
  octokit: Octokit,
  name: string,
  request: CommitRequest,
): Promise<string> {
  if (request.expectedHead === null) return beginRepository(octokit, name, request)
  const { branch, expectedHead, message, change } = request
  const { git } = octokit.rest
  const { data: parent } = await git.getCommit({ ...place(name), commit_sha: expectedHead })
  const { data: tree } = await git.createTree({
    ...place(name),
    base_tree: parent.tree.sha,
    tree: [
      ...Object.entries(change.write).map(([path, content]) => ({
        path,
        mode: fileMode,
        type: 'blob' as const,
        content,
      })),
      ...change.remove.map((path) => ({
        path,
        mode: fileMode,
        type: 'blob' as const,
        sha: null,
      })),
    ],
  })
  if (tree.sha === parent.tree.sha) return expectedHead
  const { data: commit } = await git.createCommit({
    ...place(name),
    message,
    tree: tree.sha,
    parents: [expectedHead],
  })
  try {
    await git.updateRef({ ...place(name), ref: `heads/${branch}`, sha: commit.sha, force: false })
  } catch (error) {
    throw await whyNot(octokit, { name, branch, expectedHead }, error)
  }
  return commit.sha
}

async function whyNot(
  octokit: Octokit,
  at: { name: string; branch: string; expectedHead: string },
  error: unknown,
): Promise<unknown> {
  const refusal = refusalOf(error)
  if (!(refusal instanceof GitRefusal)) return error
  if (isStatus(error, 404)) return headMoved()
  if (!isStatus(error, 403, 409, 422) || refusal.code === 'git_rate_limited') return error
  const { data } = await octokit.rest.git.getRef({ ...place(at.name), ref: `heads/${at.branch}` })
  if (data.object.sha !== at.expectedHead) return headMoved()
  return /protect|pull request|required|rule|restricted/i.test(refusal.reason ?? '')
    ? branchProtected(refusal.reason)
    : error
}

/**
 * An empty repository has no git data API yet. The contents API makes its first commit and, of
 * two who try at once, refuses one: so the marker goes first, alone, and the rest on top of it.
 */
async function beginRepository(
  octokit: Octokit,
  name: string,
  request: CommitRequest,
): Promise<string> {
  const [[path, content] = ['', ''], ...rest] = Object.entries(request.change.write)
  let first: string | undefined
  try {
    const { data } = await octokit.rest.repos.createOrUpdateFileContents({
      ...place(name),
      path,
      branch: request.branch,
      message: request.message,
      content: Buffer.from(content).toString('base64'),
    })
    first = data.commit.sha
  } catch (error) {
    if (isStatus(error, 409, 422)) throw headMoved()
    throw error
  }
  if (!first) throw headMoved()
  if (rest.length === 0) return first
  return commitToGithub(octokit, name, {
    ...request,
    expectedHead: first,
    change: { write: Object.fromEntries(rest), remove: [] },
  })
}
