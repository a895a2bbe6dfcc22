import { createPublicKey, randomBytes, sign, type KeyObject } from 'node:crypto'

export type CertificateOf = {
  commonName: string
  privateKey: KeyObject
  notBefore: Date
  notAfter: Date
}

/**
 * A self-signed certificate, PEM (RFC 5280 4.1). Node reads certificates and makes none;
 * identity providers take nothing but a certificate as the name of a key.
 */
export function makeCertificate({
  commonName,
  privateKey,
  notBefore,
  notAfter,
}: CertificateOf): string {
  const algorithm = sequence(sha256WithRsa, der(0x05))
  const name = sequence(der(0x31, sequence(commonNameType, der(0x0c, Buffer.from(commonName)))))
  const toBeSigned = sequence(
    version3,
    serialNumber(),
    algorithm,
    name,
    sequence(time(notBefore), time(notAfter)),
    name,
    createPublicKey(privateKey).export({ type: 'spki', format: 'der' }),
    noAuthority,
  )
  const signature = sign('sha256', toBeSigned, privateKey)
  const whole = sequence(
    toBeSigned,
    algorithm,
    // No unused bits.
    der(0x03, Buffer.from([0]), signature),
  )
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}

/** 1.2.840.113549.1.1.11 and 2.5.4.3. */
const sha256WithRsa = Buffer.from('06092a864886f70d01010b', 'hex')
const commonNameType = Buffer.from('0603550403', 'hex')

const version3 = Buffer.from('a003020102', 'hex')
/** Basic constraints (RFC 5280 4.2.1.9), empty: it vouches for no other certificate. */
const noAuthority = Buffer.from('a30d300b30090603551d1304023000', 'hex')

/** A tag, the length of what follows, and what follows (X.690 8.1). */
function der(tag: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  if (body.length < 128) return Buffer.concat([Buffer.from([tag, body.length]), body])
  const length = body.length.toString(16)
  const bytes = Buffer.from(length.padStart(length.length + (length.length % 2), '0'), 'hex')
  return Buffer.concat([Buffer.from([tag, 0x80 | bytes.length]), bytes, body])
}

const sequence = (...parts: Buffer[]): Buffer => der(0x30, ...parts)

/** Positive, and never with a leading zero that DER forbids. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16)
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40
  return der(0x02, bytes)
}

/** UTCTime until 2049, GeneralizedTime after (RFC 5280 4.1.2.5). */
function time(date: Date): Buffer {
  const digits = date.toISOString().replaceAll(/[-:T]/g, '').slice(0, 14)
  return date.getUTCFullYear() < 2050
    ? der(0x17, Buffer.from(`${digits.slice(2)}Z`))
    : der(0x18, Buffer.from(`${digits}Z`))
}
