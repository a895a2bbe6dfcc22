import type { Body } from '../api/call.ts'
import type { GitConnection } from '../api/types.ts'

/**
 * What the dialog changes of the connection that it was opened with: a branch alone does not move the connection
 * back to a repository that another person left meanwhile.
 */
export function defaultsChange(
  typed: { repo: string; branch: string },
  was: Pick<GitConnection, 'defaultRepo' | 'defaultBranch'>,
): Body<'setGitDefaults'> {
  const [defaultRepo, defaultBranch] = [typed.repo.trim(), typed.branch.trim()]
  const isOtherRepo = defaultRepo !== (was.defaultRepo ?? '')
  const isOtherBranch = defaultBranch !== (was.defaultBranch ?? '')
  // The default branch is that of a repository which is sent without one.
  const sendsRepo = defaultRepo !== '' && (isOtherRepo || (isOtherBranch && defaultBranch === ''))
  return {
    ...(sendsRepo && { defaultRepo }),
    ...((isOtherRepo || isOtherBranch) && defaultBranch !== '' && { defaultBranch }),
  }
}
