import { randomBytes } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { hashCredential } from './credentials.ts'

const recoveryCodeCount = 10
/** RFC 6238's defaults: 30 s, six digits, SHA-1, which every authenticator app supports. */
const periodSeconds = 30
const digits = 6
/** One step either way, for clock skew and slow typing. */
const windowSteps = 1

const base32 = 'abcdefghijklmnopqrstuvwxyz234567'

/** 160 random bits, the length that RFC 4226 recommends; base32, as it is typed into an app. */
export const newTotpSecret = (): string => new Secret({ size: 20 }).base32

/** `otpauth://totp/…`: what the QR code shows and an app reads. */
export const otpauthUrl = (secret: string, label: string): string =>
  totpOf(secret, label).toString()

/**
 * The time step of the code, or undefined. The caller stores the step, so that an attacker who saw
 * the code cannot replay it.
 */
export function stepOfCode(secret: string, code: string, nowMs = Date.now()): number | undefined {
  const token = code.replaceAll(/[\s-]/g, '')
  if (!/^\d{6}$/.test(token)) return undefined
  const delta = totpOf(secret, '').validate({ token, timestamp: nowMs, window: windowSteps })
  return delta === null ? undefined : Math.floor(nowMs / 1_000 / periodSeconds) + delta
}

/** Ten codes of 80 random bits each, so that they cannot be guessed even from their hashes. */
export function newRecoveryCodes(): { plain: string[]; hashes: Buffer[] } {
  const plain = Array.from({ length: recoveryCodeCount }, () =>
    (randomText(16).match(/.{4}/g) ?? []).join('-'),
  )
  return { plain, hashes: plain.map(hashRecoveryCode) }
}

/** Ignores case, spaces and hyphens. */
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

// 32 letters use five bits of each byte, so all are equally likely.
const randomText = (length: number): string =>
  Array.from(randomBytes(length), (byte) => base32[byte % 32]).join('')
