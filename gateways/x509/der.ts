import { randomBytes } from 'node:crypto'

/** A tag, the length of what follows, and what follows (X.690 8.1). */
export function der(tag: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  if (body.length < 128) return Buffer.concat([Buffer.from([tag, body.length]), body])
  const length = body.length.toString(16)
  const bytes = Buffer.from(length.padStart(length.length + (length.length % 2), '0'), 'hex')
  return Buffer.concat([Buffer.from([tag, 0x80 | bytes.length]), bytes, body])
}

export const sequence = (...parts: Buffer[]): Buffer => der(0x30, ...parts)

/** A bit string of whole bytes (X.690 8.6). */
export const bitString = (bytes: Buffer): Buffer => der(0x03, Buffer.from([0]), bytes)

/** 2.5.4.3 alone (RFC 5280 4.1.2.4). */
export const nameOf = (commonName: string): Buffer =>
  sequence(
    der(0x31, sequence(Buffer.from('0603550403', 'hex'), der(0x0c, Buffer.from(commonName)))),
  )

/** Positive, and never with a leading zero that DER forbids. */
export function serialNumber(): Buffer {
  const bytes = randomBytes(16)
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40
  return der(0x02, bytes)
}

/** UTCTime until 2049, GeneralizedTime after (RFC 5280 4.1.2.5). */
export function time(date: Date): Buffer {
  const digits = date.toISOString().replaceAll(/[-:T]/g, '').slice(0, 14)
  return date.getUTCFullYear() < 2050
    ? der(0x17, Buffer.from(`${digits.slice(2)}Z`))
    : der(0x18, Buffer.from(`${digits}Z`))
}

export function certificatePem(whole: Buffer): string {
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}
