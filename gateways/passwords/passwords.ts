import { hash, verify } from '@node-rs/argon2'
import { normalPassword } from '../../domain/access/password-rules.ts'

/** OWASP's first choice for argon2id: 19 MiB, two passes, one lane. Argon2id is the library's default algorithm. */
const options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

// A hash of nobody's password: verified where there is no row, so that an unknown address costs what a known one does.
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
  // Of what was typed the hashes of earlier versions were made. It is asked whatever the first said,
  // so that only what was sent decides how long this takes.
  const matchesAsTyped = normal !== password && (await verify(known, password))
  return (matches || matchesAsTyped) && hashed !== null && hashed !== undefined
}
