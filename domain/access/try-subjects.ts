import { hashCredential } from './credentials.ts'

/**
 * One spelling of an address, for counting and for looking up alike: were they two, a
 * spelling that the database folds and this does not would be a fresh count of tries on
 * the same account (U+0130 is a capital i to one and not to the other).
 */
export const normalEmail = (email: string): string => email.trim().toLowerCase()

/** What failed sign-ins are counted by. Hashed, so that a leaked table is no list of addresses. */
export const passwordTries = (email: string): Buffer =>
  hashCredential(`password:${normalEmail(email)}`)

/** Codes are counted apart, so that the right password does not reset the count of an attacker who guesses codes. */
export const codeTries = (organizationId: number, userId: number): Buffer =>
  hashCredential(`code:${organizationId}:${userId}`)

/** Not a lock: past the cap a mailbox is no longer filled. */
export const resetTries = (email: string): Buffer => hashCredential(`reset:${normalEmail(email)}`)
