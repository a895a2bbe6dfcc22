import { invalid } from '../errors.ts'

const minPasswordLength = 12
export const maxPasswordLength = 1_000

export type PasswordContext = {
  /** Whether it is among the most common passwords. */
  isCommon: (password: string) => boolean
  /** Words that anybody can see beside the account: names and addresses. */
  words: readonly string[]
}

/**
 * Normalizes, because some keyboards send `é` as one character and others as two (NIST SP
 * 800-63B 5.1.1.2: NFKC or NFKD, before anything is hashed).
 */
export const normalPassword = (password: string): string => password.normalize('NFKC')

/** NIST SP 800-63B: length counts, composition rules do not. */
export function checkPasswordLength(password: string): void {
  // Code points, as the standard counts: an emoji is one character.
  const length = Array.from(normalPassword(password)).length
  if (length >= minPasswordLength && password.length <= maxPasswordLength) return
  throw refused('password_too_short', `needs at least ${minPasswordLength} characters`)
}

/** Refuses what an attacker tries first: common passwords, repetitions, rows of keys, visible names. */
export function checkPassword(password: string, { isCommon, words }: PasswordContext): void {
  checkPasswordLength(password)
  // As it will be hashed, so that full-width letters cannot hide a common password.
  const lower = normalPassword(password).toLowerCase()
  if (isCommon(lower) || repeats(lower) || runsOn(lower))
    throw refused('password_too_common', 'is too common')
  if (isMostlyOf(lower, words))
    throw refused('password_too_common', 'is too close to your name, address or organization')
}

/** Whether a piece repeats: `aaaaaaaaaaaa`, `abcabcabcabc`, `passwordpassword`. */
function repeats(text: string): boolean {
  const again = (text + text).indexOf(text, 1)
  return again < text.length || new Set(text).size <= 3
}

const rows = ['abcdefghijklmnopqrstuvwxyz', '01234567890', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm']
const sequences = rows.flatMap((row) => [row, Array.from(row).toReversed().join('')])

/** Whether it consists of at most three sequences of keys or letters: `abcdefghijkl`, `qwertyuiop12`. */
function runsOn(text: string): boolean {
  let breaks = 0
  for (let at = 1; at < text.length; at += 1) {
    const pair = text.slice(at - 1, at + 1)
    if (!sequences.some((row) => row.includes(pair))) breaks += 1
  }
  return breaks <= 2
}

/** Whether too little is left to guess without the words. */
function isMostlyOf(text: string, words: readonly string[]): boolean {
  const pieces = words
    .flatMap((word) => [word, ...word.split(/[^\p{L}\p{N}]+/u)])
    .map((word) => normalPassword(word).toLowerCase())
    .filter((word) => word.length >= minWordLength)
    .toSorted((a, b) => b.length - a.length)
  let rest = text
  for (const piece of pieces) rest = rest.replaceAll(piece, '')
  return rest.length < text.length && rest.length < minOwnCharacters
}

/** Shorter words appear in too many passwords by chance. */
const minWordLength = 4
/** NIST's minimum length of a password. */
const minOwnCharacters = 8

const refused = (code: string, rule: string) =>
  invalid(`This password ${rule}.`, [{ path: 'password', message: rule }], code)
