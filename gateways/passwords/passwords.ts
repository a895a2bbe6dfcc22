import { hash, verify } from '@node-rs/argon2'

/** OWASP's first choice for argon2id: 19 MiB, two passes, one lane. Argon2id is the library's default algorithm. */
const options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

// A hash of nobody's password: verified where there is no row, so that an unknown address costs what a known one does.
const nobody = hash('a password that nobody has', options)

export const hashPassword = (password: string): Promise<string> => hash(password, options)

/** Always one verification, also where there is no hash (§5.5: a sign-in never tells whether an address exists). */
export async function verifyPassword(
  hashed: string | null | undefined,
  password: string,
): Promise<boolean> {
  const matches = await verify(hashed ?? (await nobody), password)
  return matches && hashed !== null && hashed !== undefined
}
