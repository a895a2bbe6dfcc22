import { markerGone } from '../../domain/git/connection-health.ts'
import { isStatus, refusalOf } from '../../gateways/git/git-refusal.ts'
import { gitConnections, type GitConnection } from '../../store/git/git-connections.ts'
import type { Deps } from '../deps.ts'

/**
 * Runs work on a connection's host, and stores what stops further writes: a refused token or a missing
 * marker. So a person sees it, and other writers stop too. `connection` is as it was before the work.
 */
export async function notingRefusals<T>(
  { store }: Pick<Deps, 'store'>,
  organizationId: number,
  { connection, work }: { connection: GitConnection | undefined; work: () => Promise<T> },
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const found = findingOf(error)
    if (connection && found)
      await store.tenant(organizationId, async (tenant) =>
        gitConnections(tenant).setStatusSince(connection, found),
      )
    throw error
  }
}

function findingOf(error: unknown) {
  const refusal = refusalOf(error)
  if (refusal && isStatus(error, 401))
    return { status: 'invalid_token' as const, reason: refusal.message }
  if (refusal?.code === 'git_not_owner') return { status: 'error' as const, reason: markerGone }
  return undefined
}
