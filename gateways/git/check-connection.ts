import { AppError } from '../../domain/errors.ts'
import type { ConnectionHealth } from '../../domain/git/connection-health.ts'
import type { GitHost } from './git-host.ts'
import { isStatus } from './git-refusal.ts'

/**
 * How a connection is now, in words for people. Faults of our own are thrown, not told as the
 * host's; and so is a limit, which says nothing of the token and nothing of the repository.
 */
export async function checkConnection(
  host: GitHost,
  { repo, repositoryId }: { repo: string | null; repositoryId: string | undefined },
): Promise<ConnectionHealth> {
  try {
    await host.checkToken()
    if (!repo) return { status: 'healthy', reason: null }
    const repository = await host.repository(repo)
    if (repositoryId !== undefined && repository.id !== repositoryId)
      return { status: 'error', reason: `${repo} is another repository by now.` }
    if (repository.archived) return { status: 'error', reason: `${repo} is archived.` }
    const missing = await host.missingRights(repository, 'write')
    return missing.length === 0
      ? { status: 'healthy', reason: null }
      : { status: 'invalid_token', reason: `The token lacks: ${missing.join(', ')}.` }
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
