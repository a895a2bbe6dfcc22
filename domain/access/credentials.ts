import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

export type TokenKind = 'pat' | 'scim' | 'agt' | 'run'
export type NewCredential = { plain: string; hash: Buffer; prefix: string }

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/**
 * `cc_<kind>_` + 32 random bytes in base62 + 6 characters of CRC32, so that secret scanners can
 * recognize a real token without asking this service.
 */
export function newToken(kind: TokenKind): NewCredential {
  const random = base62(BigInt(`0x${randomBytes(32).toString('hex')}`), 43)
  const body = `cc_${kind}_${random}`
  const plain = body + base62(BigInt(crc32(body)), 6)
  return { plain, hash: hashCredential(plain), prefix: plain.slice(0, `cc_${kind}_`.length + 4) }
}

/** 256 random bits, for sessions and links in mails. */
export function newSecret(): NewCredential {
  const plain = randomBytes(32).toString('base64url')
  return { plain, hash: hashCredential(plain), prefix: '' }
}

/** How long mailed links work, from the moment they are sent. */
export const invitationHours = 7 * 24
export const resetMinutes = 30

/** Plain SHA-256 is enough: credentials have 256 random bits, so their hashes cannot be guessed. */
export const hashCredential = (plain: string): Buffer => hash('sha256', plain, 'buffer')

export function tokenKind(plain: string): TokenKind | undefined {
  const match = /^cc_(pat|scim|agt|run)_[0-9A-Za-z]{49}$/.exec(plain)
  if (!match) return undefined
  const checksum = base62(BigInt(crc32(plain.slice(0, -6))), 6)
  // The pattern leaves no other value than a kind.
  return checksum === plain.slice(-6) ? (match[1] as TokenKind) : undefined
}

function base62(value: bigint, length: number): string {
  let rest = value
  let text = ''
  while (rest > 0n) {
    text = (alphabet[Number(rest % 62n)] ?? '') + text
    rest /= 62n
  }
  return text.padStart(length, '0')
}
