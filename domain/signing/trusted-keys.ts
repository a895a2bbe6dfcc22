import type { KeyObject } from 'node:crypto'
import { readEndorsement, type EndorsedKey } from './endorsement.ts'
import { keyIdOf, openPublicKey } from './signing-key.ts'

/** Most keys of an organization; a rotation past it is refused. */
export const maxSigningKeys = 50

/**
 * Which of the keys that a service offers an agent may trust: those that it has pinned, and those that a
 * trusted one has endorsed. Ids are computed from the keys, since whoever sends a key can name it as they like.
 * A service that was taken over can offer any key; without the private key of a pinned one it is trusted by none.
 */
export function trustedKeys({
  pins,
  keys,
}: {
  /** Key ids. */
  pins: Iterable<string>
  keys: readonly EndorsedKey[]
}): Map<string, KeyObject> {
  const pinned = new Set(pins)
  const offered = keys.slice(0, maxSigningKeys).flatMap(({ publicKey, endorsements }) => {
    const key = openPublicKey(publicKey)
    return key ? [{ key, keyId: keyIdOf(key), endorsements: endorsements.slice(0, 4) }] : []
  })
  const trusted = new Map(
    offered.filter(({ keyId }) => pinned.has(keyId)).map(({ keyId, key }) => [keyId, key]),
  )
  let organization: string | undefined
  for (let before = -1; before !== trusted.size;) {
    before = trusted.size
    for (const { key, keyId, endorsements } of offered) {
      if (trusted.has(keyId)) continue
      const said = endorsements.flatMap((endorsement) =>
        [...trusted.values()].flatMap((by) => readEndorsement(endorsement, by) ?? []),
      )
      const own = said.find(
        (one) => one.keyId === keyId && (organization ?? one.organization) === one.organization,
      )
      if (!own) continue
      organization = own.organization
      trusted.set(keyId, key)
    }
  }
  return trusted
}
