import { invalid } from '../errors.ts'

export const minPasswordLength = 12
export const maxPasswordLength = 1_000

/** NIST SP 800-63B: length counts, composition rules do not. */
export function checkPassword(password: string): void {
  // Code points, as the standard counts: an emoji is one character.
  const length = Array.from(password).length
  if (length >= minPasswordLength && password.length <= maxPasswordLength) return
  throw invalid(
    `A password has at least ${minPasswordLength} characters.`,
    [{ path: 'password', message: `at least ${minPasswordLength} characters` }],
    'password_too_short',
  )
}
