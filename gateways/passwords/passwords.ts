import { hash, verify } from '@node-rs/argon2'
import { normalPassword } from '../../domain/access/password-rules.ts'

/** OWASP's first choice for argon2id: 19 MiB, two passes, one lane. Argon2id is the library's default algorithm. */
const options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

// Verified if there is no row, so that an unknown address costs as much as a known one.
const nobody = hash('a password that nobody has', options)

export const hashPassword = (password: string): Promise<string> =>
  hash(normalPassword(password), options)

/**
 * Hashes even if there is no hash to compare with, so that the time of a sign-in does not reveal
 * whether an address exists.
 */
export async function verifyPassword(
  hashed: string | null | undefined,
  password: string,
): Promise<boolean> {
  const known = hashed ?? (await nobody)
  const normal = normalPassword(password)
  const matches = await verify(known, normal)
  // Older hashes were made without normalization. Verified whatever the first result is, so that the time
  // depends on the input alone.
  const matchesAsTyped = normal !== password && (await verify(known, password))
  return (matches || matchesAsTyped) && hashed !== null && hashed !== undefined
}
