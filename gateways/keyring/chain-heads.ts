import type { OpenHead, SealHead } from '../../domain/audit/chain-head.ts'
import type { Keyring } from './keyring.ts'

export type ChainHeads = { seal: SealHead; open: OpenHead }

/** The head of an audit chain, sealed by the keyring, so that an attacker with the database cannot forge it. */
export function chainHeads(keyring: Keyring): ChainHeads {
  const placeOf = (organizationId: number) => ({
    organizationId,
    table: 'audit_heads',
    column: 'sealed',
  })
  return {
    seal: (organizationId, { position, hash, entryId }) =>
      keyring.seal(
        placeOf(organizationId),
        JSON.stringify({ position, entryId, hash: hash.toString('hex') }),
      ),
    open(organizationId, sealed) {
      const text = keyring.open(placeOf(organizationId), sealed).toString()
      // What opens is what `seal` has written, to the byte.
      const { position, entryId, hash } = JSON.parse(text) as Record<
        'position' | 'entryId',
        number
      > & {
        hash: string
      }
      return { position, entryId, hash: Buffer.from(hash, 'hex') }
    },
  }
}
