import { whyNoToken } from '../../domain/git/lends-token.ts'
import { gitAuthorization } from '../../gateways/git/git-authorization.ts'
import type { Keyring } from '../../gateways/keyring/keyring.ts'
import { placeOfToken, type GitConnection } from '../../store/git/git-connections.ts'

/** The token of a connection. It leaves the keyring here alone. */
export const openToken = (
  keyring: Keyring,
  organizationId: number,
  { token }: Pick<GitConnection, 'token'>,
): string => keyring.open(placeOfToken(organizationId), token).toString()

/**
 * The header by which a relay adds the token of a connection to a run's requests, or why the token is not
 * used. Only a relay outside the sandbox may hold it.
 */
export function lendToken(
  keyring: Keyring,
  organizationId: number,
  connection: GitConnection,
): { authorization: string } | { why: string } {
  const why = whyNoToken(connection)
  if (why !== undefined) return { why }
  const token = openToken(keyring, organizationId, connection)
  return { authorization: gitAuthorization(connection.product, token) }
}
