import { AppError } from '../../domain/errors.ts'
import { ownedElsewhere, type ConnectionHealth } from '../../domain/git/connection-health.ts'
import type { Ownership } from '../../domain/git/owner-marker.ts'
import type { Keyring } from '../keyring/keyring.ts'
import type { GitHost } from './git-host.ts'
import { isStatus } from './git-refusal.ts'
import { readMarker } from './own-branch.ts'

/**
 * The state of a connection, in words for people. Our own faults are thrown, and not shown as the host's;
 * so is a rate limit, which says nothing about the token or the repository.
 */
export async function checkConnection(
  host: GitHost,
  at: { repo: string | null; owner: Ownership | undefined; keyring: Keyring },
): Promise<ConnectionHealth> {
  const { repo, owner, keyring } = at
  try {
    await host.checkToken(repo ?? undefined)
    if (!repo) return { status: 'healthy', reason: null }
    const repository = await host.repository(repo)
    if (owner && repository.id !== owner.repository)
      return { status: 'error', reason: `${repo} is another repository by now.` }
    if (repository.archived) return { status: 'error', reason: `${repo} is archived.` }
    const missing = await host.missingRights(repository, 'write')
    if (missing.length > 0)
      return { status: 'invalid_token', reason: `The token lacks: ${missing.join(', ')}.` }
    if (!owner) return { status: 'healthy', reason: null }
    const commit = await host.head(repository.fullName, owner.branch)
    const marker = commit
      ? await readMarker(host, keyring, { repository, commit, owner })
      : 'absent'
    return marker === 'foreign'
      ? { status: 'error', reason: ownedElsewhere, marker }
      : { status: 'healthy', reason: null, marker, repo: repository.fullName }
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'git_rate_limited') throw error
    if (isStatus(error, 401, 403)) return { status: 'invalid_token', reason: error.message }
    if (isStatus(error, 404))
      return {
        status: 'error',
        reason: `${repo ?? 'The repository'} is gone, or is no longer seen.`,
      }
    return { status: 'unreachable', reason: error.message }
  }
}
