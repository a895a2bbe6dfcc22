import type { KeyObject } from 'node:crypto'
import { signEnvelope, verifyEnvelope, type Envelope } from './dsse.ts'
import { keyIdOf, openPublicKey, type PublicSigningKey } from './signing-key.ts'

/** Says that a key is of the same organization as the key that signs it. */
export type Endorsement = Envelope

export type EndorsedKey = PublicSigningKey & { endorsements: readonly Endorsement[] }

const payloadType = 'application/vnd.cloud-control.signing-key+json'
const statementType = 'cloud-control.signing-key.v1'

export type Endorsed = PublicSigningKey & {
  /** The organization's public id. */
  organization: string
  createdAt: string
}

export const endorse = (
  { organization, keyId, publicKey, createdAt }: Endorsed,
  signer: { keyId: string; privateKey: KeyObject },
): Endorsement =>
  signEnvelope(
    payloadType,
    Buffer.from(JSON.stringify({ type: statementType, organization, keyId, publicKey, createdAt })),
    signer,
  )

/** The key that an endorsement names, and of which organization it is, if `by` has signed it. */
export function readEndorsement(
  endorsement: unknown,
  by: KeyObject,
): { key: KeyObject; keyId: string; organization: string } | undefined {
  if ((endorsement as { payloadType?: unknown } | null)?.payloadType !== payloadType)
    return undefined
  const payload = verifyEnvelope(endorsement, by)
  if (!payload) return undefined
  const said = parsed(payload)
  const key = openPublicKey(said?.['publicKey'])
  const organization = said?.['organization']
  if (said?.['type'] !== statementType || !key || typeof organization !== 'string') return undefined
  return { key, keyId: keyIdOf(key), organization }
}

function parsed(payload: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(payload.toString())
    return typeof value === 'object' && value !== null
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}
