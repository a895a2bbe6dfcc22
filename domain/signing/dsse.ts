import { sign, verify, type KeyObject } from 'node:crypto'

/** A signed text as DSSE has it (https://github.com/secure-systems-lab/dsse). */
export type Envelope = {
  payloadType: string
  /** Base64. */
  payload: string
  signatures: ReadonlyArray<{ keyid: string; sig: string }>
}

/** Signs with ECDSA over SHA-256, in DER, as Sigstore's clients expect it of a P-256 key. */
export function signEnvelope(
  payloadType: string,
  payload: Buffer,
  { keyId, privateKey }: { keyId: string; privateKey: KeyObject },
): Envelope {
  const sig = sign('sha256', encodingOf(payloadType, payload), privateKey).toString('base64')
  return {
    payloadType,
    payload: payload.toString('base64'),
    signatures: [{ keyid: keyId, sig }],
  }
}

/**
 * The payload, if one of the signatures is of this key. The key ids in an envelope are not signed, so they
 * decide nothing. Never throws: what an attacker sent has any shape.
 */
export function verifyEnvelope(envelope: unknown, publicKey: KeyObject): Buffer | undefined {
  if (!isEnvelope(envelope)) return undefined
  const payload = strictBase64(envelope.payload)
  if (!payload) return undefined
  const signed = encodingOf(envelope.payloadType, payload)
  const isSigned = envelope.signatures.some(({ sig }) => {
    const signature = strictBase64(sig)
    try {
      return signature !== undefined && verify('sha256', signed, publicKey, signature)
    } catch {
      return false
    }
  })
  return isSigned ? payload : undefined
}

/** DSSE's pre-authentication encoding, which keeps a signature of one type from being shown as of another. */
function encodingOf(payloadType: string, payload: Buffer): Buffer {
  const type = Buffer.from(payloadType)
  return Buffer.concat([
    Buffer.from(`DSSEv1 ${type.length} `),
    type,
    Buffer.from(` ${payload.length} `),
    payload,
  ])
}

/** More than one signature is never ours; the bound keeps a forged envelope from costing CPU. */
const maxSignatures = 8

function isEnvelope(value: unknown): value is Envelope {
  if (typeof value !== 'object' || value === null) return false
  const { payloadType, payload, signatures } = value as Record<string, unknown>
  return (
    typeof payloadType === 'string' &&
    typeof payload === 'string' &&
    Array.isArray(signatures) &&
    signatures.length <= maxSignatures &&
    signatures.every(
      (one: unknown) =>
        typeof one === 'object' &&
        one !== null &&
        typeof (one as { sig?: unknown }).sig === 'string',
    )
  )
}

/** Node skips what is no base64, so two texts would be one payload. */
function strictBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}
