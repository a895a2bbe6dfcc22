import { randomBytes } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { hashCredential } from './credentials.ts'

const recoveryCodeCount = 10
/** RFC 6238's own: 30 s, six digits, SHA-1, which is what every authenticator app can do. */
const periodSeconds = 30
const digits = 6
/** One step either way, for clocks that differ and people who type slowly. */
const windowSteps = 1

const base32 = 'abcdefghijklmnopqrstuvwxyz234567'

/** 160 random bits, the length that RFC 4226 recommends; base32, as it is typed into an app. */
export const newTotpSecret = (): string => new Secret({ size: 20 }).base32

/** `otpauth://totp/…`: what the QR code shows and an app reads. */
export const otpauthUrl = (secret: string, label: string): string =>
  totpOf(secret, label).toString()

/**
 * The time step of which this is the code, or undefined. The caller remembers the step,
 * so that a code that was looked over somebody's shoulder does not work a second time.
 */
export function stepOfCode(secret: string, code: string, nowMs = Date.now()): number | undefined {
  const token = code.replaceAll(/[\s-]/g, '')
  if (!/^\d{6}$/.test(token)) return undefined
  const delta = totpOf(secret, '').validate({ token, timestamp: nowMs, window: windowSteps })
  return delta === null ? undefined : Math.floor(nowMs / 1_000 / periodSeconds) + delta
}

/** Ten codes of 80 random bits each: too many to guess even with the hashes at hand. */
export function newRecoveryCodes(): { plain: string[]; hashes: Buffer[] } {
  const plain = Array.from({ length: recoveryCodeCount }, () =>
    (randomText(16).match(/.{4}/g) ?? []).join('-'),
  )
  return { plain, hashes: plain.map(hashRecoveryCode) }
}

/** However it is typed: case, spaces and hyphens say nothing. */
export const hashRecoveryCode = (code: string): Buffer =>
  hashCredential(`recovery:${code.toLowerCase().replaceAll(/[\s-]/g, '')}`)

const totpOf = (secret: string, label: string): TOTP =>
  new TOTP({
    issuer: 'cloud-control',
    label,
    algorithm: 'SHA1',
    digits,
    period: periodSeconds,
    secret: Secret.fromBase32(secret),
  })

// 32 letters: five bits of each byte, so none is likelier than another.
const randomText = (length: number): string =>
  Array.from(randomBytes(length), (byte) => base32[byte % 32]).join('')
