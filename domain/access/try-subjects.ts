import { hashCredential } from './credentials.ts'

/**
 * One spelling of an address, for counting and for looking up alike: were they two, a
 * spelling that the database folds and this does not would be a fresh count of tries on
 * the same account (U+0130 is a capital i to one and not to the other).
 */
export const normalEmail = (email: string): string => email.trim().toLowerCase()

/** What the lock of §8 counts by: hashed, so that the table is no list of addresses that somebody tried. */
export const passwordTries = (email: string): Buffer =>
  hashCredential(`password:${normalEmail(email)}`)

/** Codes have a count of their own (decisions §2): the right password does not set it back. */
export const codeTries = (organizationId: number, userId: number): Buffer =>
  hashCredential(`code:${organizationId}:${userId}`)

/** Not a lock: past the cap a mailbox is no longer filled. */
export const resetTries = (email: string): Buffer => hashCredential(`reset:${normalEmail(email)}`)
