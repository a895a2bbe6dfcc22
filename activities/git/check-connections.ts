import { connectGitHost } from '../../gateways/git/connect-git-host.ts'
import { checkConnection } from '../../gateways/git/check-connection.ts'
import { gitConnections, placeOfToken } from '../../store/git/git-connections.ts'
import { dueConnections } from '../../store/platform/due-connections.ts'
import type { Deps } from '../deps.ts'

type Needed = Pick<Deps, 'store' | 'keyring' | 'outbound' | 'log'>

const atOnce = 20

/** Asks each connection's host from time to time, and says what it found in `status` and `statusReason`. */
export const checkConnections = (deps: Needed) => async (): Promise<{ checked: number }> => {
  const due = await dueConnections(deps.store.platform, atOnce)
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
  { store, keyring, outbound }: Needed,
  { organizationId, connectionId }: { organizationId: number; connectionId: number },
): Promise<void> {
  const { connection, claim } = await store.tenant(organizationId, async (db) => {
    const connections = gitConnections(db, organizationId)
    return {
      connection: await connections.get(connectionId),
      claim: await connections.claimOf(connectionId),
    }
  })
  const token = keyring.open(placeOfToken(organizationId), connection.token).toString()
  const health = await checkConnection(connectGitHost(outbound, { ...connection, token }), {
    repo: connection.defaultRepo,
    repositoryId: claim?.repositoryId,
  })
  await store.tenant(organizationId, async (db) =>
    gitConnections(db, organizationId).setStatus(connectionId, health.status, health.reason),
  )
}
