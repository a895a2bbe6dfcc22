import { connectGitHost } from '../../gateways/git/connect-git-host.ts'
import type { GitHost } from '../../gateways/git/git-host.ts'
import type { Keyring } from '../../gateways/keyring/keyring.ts'
import type { Outbound } from '../../gateways/outbound/outbound.ts'
import type { GitConnection } from '../../store/git/git-connections.ts'
import { openToken } from './lend-token.ts'

/** The provider of a connection, with its token. */
export function openHost(
  { keyring, outbound }: { keyring: Keyring; outbound: Outbound },
  organizationId: number,
  connection: Pick<GitConnection, 'product' | 'origin' | 'token'>,
): GitHost {
  const { product, origin } = connection
  const token = openToken(keyring, organizationId, connection)
  return connectGitHost(outbound, { product, origin, token })
}
