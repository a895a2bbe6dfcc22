import { connectGitHost } from '../../gateways/git/connect-git-host.ts'
import type { GitHost } from '../../gateways/git/git-host.ts'
import type { Keyring } from '../../gateways/keyring/keyring.ts'
import type { Outbound } from '../../gateways/outbound/outbound.ts'
import { placeOfToken, type GitConnection } from '../../store/git/git-connections.ts'

/** The provider of a connection, with its token. The token leaves the keyring only for this. */
export function openHost(
  { keyring, outbound }: { keyring: Keyring; outbound: Outbound },
  organizationId: number,
  { product, origin, token }: Pick<GitConnection, 'product' | 'origin' | 'token'>,
): GitHost {
  const plain = keyring.open(placeOfToken(organizationId), token).toString()
  return connectGitHost(outbound, { product, origin, token: plain })
}
