import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import { calculateJwkThumbprint, exportJWK } from 'jose'

/** What every cloud accepts. A key lives for 90 days. */
const bits = 2_048

/** A new private key, as PKCS #8. It is made off the event loop. */
export async function makeIssuerKey(): Promise<Buffer> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: bits })
  return privateKey.export({ type: 'pkcs8', format: 'der' })
}

export const openIssuerKey = (pkcs8: Buffer): KeyObject =>
  createPrivateKey({ key: pkcs8, type: 'pkcs8', format: 'der' })

type PublicJwk = { kty: string; n: string; e: string; kid: string; use: string; alg: string }

/** The public half as a JSON Web Key (RFC 7517); its id is its thumbprint (RFC 7638). */
export async function publicJwk(privateKey: KeyObject): Promise<PublicJwk> {
  const { kty = '', n = '', e = '' } = await exportJWK(createPublicKey(privateKey))
  const kid = await calculateJwkThumbprint({ kty, n, e })
  return { kty, n, e, kid, use: 'sig', alg: 'RS256' }
}
