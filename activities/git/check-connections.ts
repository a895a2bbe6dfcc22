import type { ConnectionHealth } from '../../domain/git/connection-health.ts'
import { openHost } from '../../app/git/open-host.ts'
import { checkConnection } from '../../gateways/git/check-connection.ts'
import { hasCode } from '../../gateways/git/head-moved.ts'
import { outboundUntil } from '../../gateways/outbound/outbound-until.ts'
import { gitConnections } from '../../store/git/git-connections.ts'
import { noteHealth } from '../../app/git/note-health.ts'
import { startPendingWebhooks } from '../../app/git/start-pending-webhooks.ts'
import { dueConnections } from '../../store/platform/due-connections.ts'
import type { Deps } from '../deps.ts'

type Needed = Pick<Deps, 'store' | 'keyring' | 'outbound' | 'log'>

export const checkedAtOnce = 20
/** What the check of one connection takes at most. */
const maxMs = 60_000

/**
 * Checks each connection at its host from time to time, and stores `status` and `statusReason`. Where the host answers,
 * a webhook that is still pending is registered anew.
 */
export const checkConnections = (deps: Needed) => async (): Promise<{ checked: number }> => {
  const due = await dueConnections(deps.store.platform, checkedAtOnce)
  await Promise.all(
    due.map(async (one) =>
      check(deps, one).catch((error: unknown) =>
        deps.log.warn(
          { err: error, connectionId: one.connectionId },
          'a connection was not checked',
        ),
      ),
    ),
  )
  return { checked: due.length }
}

async function check(
  deps: Needed,
  at: { organizationId: number; connectionId: number },
): Promise<void> {
  const { store, keyring, outbound } = deps
  const { organizationId, connectionId } = at
  const { connection, owner } = await store.tenant(organizationId, async (tenant) => {
    const connections = gitConnections(tenant)
    return {
      connection: await connections.get(connectionId),
      owner: await connections.ownershipOf(connectionId),
    }
  })
  let health: ConnectionHealth
  try {
    // A host that answers without end would keep the next passes from all other connections.
    const bounded = outboundUntil(outbound, AbortSignal.timeout(maxMs))
    const host = openHost({ keyring, outbound: bounded }, organizationId, connection)
    health = await checkConnection(host, {
      repo: connection.defaultRepo,
      owner,
      keyring,
    })
  } catch (error) {
    // The status stays, and the connection is checked again when it is next due.
    if (hasCode(error, 'git_rate_limited')) return
    throw error
  }
  if (connection.status === 'initializing') {
    if (health.status === 'unreachable') return
    // A protected branch waits for its pull request to be merged; until then it lacks our marker.
    if (health.status === 'healthy' && health.marker !== 'ours') return
    // Not prepared yet. `error` makes it be prepared again once the check finds no obstacle.
    if (health.status === 'invalid_token') health = { ...health, status: 'error' }
  }
  await store.tenant(organizationId, async (tenant) => {
    const noted = await noteHealth(tenant, { connectionId, seen: connection, health })
    if (health.status === 'healthy' && noted.status === 'healthy')
      await startPendingWebhooks(tenant, noted)
  })
}
