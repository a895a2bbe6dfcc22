import { relayAllowance } from '../../domain/git/relay-allowance.ts'
import {
  createGitRelay,
  type GitRelay,
  type RelayCredentials,
} from '../../gateways/git/git-relay.ts'
import { gitConnections, type GitConnection } from '../../store/git/git-connections.ts'
import { lendToken } from '../../app/git/lend-token.ts'
import type { Deps } from '../deps.ts'

type Needed = Pick<Deps, 'store' | 'keyring' | 'outbound'>

/**
 * The relay through which the source of one run is fetched: this repository by the pipeline's own
 * connection, and nothing else. The connection is read for each request, so one that was deleted
 * meanwhile lends nothing.
 */
export function sourceRelay(
  deps: Needed,
  organizationId: number,
  at: { connection: GitConnection; path: string; refs: readonly string[] },
): GitRelay {
  const { id, host, origin, product } = at.connection
  return createGitRelay({
    outbound: deps.outbound,
    hosts: [{ host, origin, product }],
    allowance: relayAllowance(at.refs.map((ref) => ({ host, repository: at.path, ref }))),
    async credentialsFor(asked) {
      const connection = await deps.store.tenant(organizationId, async (tenant) =>
        gitConnections(tenant).find(id),
      )
      // Led to another host meanwhile, it would lend that host's token to this one.
      if (!connection || connection.host !== asked || connection.origin !== origin) return undefined
      return credentialsOf(deps, organizationId, connection)
    },
  })
}

function credentialsOf(
  { keyring }: Needed,
  organizationId: number,
  connection: GitConnection,
): RelayCredentials {
  const { id: connectionId, origin } = connection
  const lent = lendToken(keyring, organizationId, connection)
  if ('why' in lent) return { origin, credentials: [], unusable: [lent.why] }
  return { origin, credentials: [{ connectionId, ...lent }], unusable: [] }
}
