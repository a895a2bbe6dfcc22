import { hashCredential } from './credentials.ts'

/**
 * The one normalization of an address, for counting and for look-ups. If the two differed, a spelling
 * that only the database folds (U+0130) would give an attacker a fresh count of tries for the same
 * account.
 */
export const normalEmail = (email: string): string => email.trim().toLowerCase()

/** What failed sign-ins are counted by. Hashed, so that a leaked table is no list of addresses. */
export const passwordTries = (email: string): Buffer =>
  hashCredential(`password:${normalEmail(email)}`)

/** Codes are counted apart, so that the right password does not reset the count of an attacker who guesses codes. */
export const codeTries = (organizationId: number, userId: number): Buffer =>
  hashCredential(`code:${organizationId}:${userId}`)

/** Limits reset mails, so that nobody can flood a mailbox. It locks nothing. */
export const resetTries = (email: string): Buffer => hashCredential(`reset:${normalEmail(email)}`)
