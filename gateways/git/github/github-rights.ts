import type { Octokit } from '@octokit/rest'
import type { GitRepository } from '../git-host.ts'
import { place } from './github-repository.ts'
import { GitRefusal, isStatus, refusalOf } from '../git-refusal.ts'

/**
 * What this token lacks. A classic token's scopes are told in a header. A fine-grained one's are
 * told nowhere, so its right to write is tried with a blob that no commit refers to.
 */
export async function missingGithubRights(
  octokit: Octokit,
  { fullName, private: isPrivate }: GitRepository,
  need: 'read' | 'write',
): Promise<string[]> {
  const { data, headers } = await octokit.rest.repos.get(place(fullName))
  if (need === 'read') return data.permissions?.pull === false ? ['contents:read'] : []
  const scopes = headers['x-oauth-scopes']
  if (typeof scopes === 'string' && scopes !== '') {
    const granted = scopes.split(',').map((scope) => scope.trim())
    const enough = granted.includes('repo') || (!isPrivate && granted.includes('public_repo'))
    if (!enough) return [isPrivate ? 'repo' : 'public_repo']
  } else if (scopes === '') return [isPrivate ? 'repo' : 'public_repo']
  if (data.permissions?.push === false) return ['contents:write']
  try {
    await octokit.rest.git.createBlob({ ...place(fullName), content: '' })
    return []
  } catch (error) {
    // 409: the repository is empty, and the right was found good before that was.
    if (isStatus(error, 409)) return []
    if (!isStatus(error, 403, 404)) throw error
    const refusal = refusalOf(error)
    if (refusal?.code === 'git_rate_limited') throw error
    const needed =
      refusal instanceof GitRefusal ? refusal.headers.get('x-accepted-github-permissions') : null
    return [needed?.replace('=', ':') ?? 'contents:write']
  }
}
