import { createHash, createPublicKey, type KeyObject } from 'node:crypto'

/** A public key of an organization, as agents and the API see it. */
export type PublicSigningKey = {
  /** Its fingerprint: `keyIdOf` of the public key. */
  keyId: string
  /** SubjectPublicKeyInfo as PEM (RFC 7468). */
  publicKey: string
}

/**
 * `sha256:` and the SHA-256 of the key's SubjectPublicKeyInfo in DER. `openssl pkey -pubin -outform DER |
 * sha256sum` prints the same.
 */
export const keyIdOf = (publicKey: KeyObject): string =>
  `sha256:${createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex')}`

/** Undefined for all but a P-256 key. */
export function openPublicKey(pem: unknown): KeyObject | undefined {
  if (typeof pem !== 'string' || pem.length > 1_000) return undefined
  try {
    const key = createPublicKey(pem)
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : undefined
  } catch {
    return undefined
  }
}
