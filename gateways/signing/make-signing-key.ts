import { createPrivateKey, generateKeyPair, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import { keyIdOf, type PublicSigningKey } from '../../domain/signing/signing-key.ts'

export type MadeSigningKey = PublicSigningKey & {
  /** PKCS #8, to be sealed. */
  pkcs8: Buffer
  privateKey: KeyObject
}

/** A new P-256 key, which every verifier of Sigstore's bundles and openssl know. */
export async function makeSigningKey(): Promise<MadeSigningKey> {
  const { privateKey, publicKey } = await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' })
  return {
    keyId: keyIdOf(publicKey),
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    pkcs8: privateKey.export({ type: 'pkcs8', format: 'der' }),
    privateKey,
  }
}

export const openSigningKey = (pkcs8: Buffer): KeyObject =>
  createPrivateKey({ key: pkcs8, type: 'pkcs8', format: 'der' })
