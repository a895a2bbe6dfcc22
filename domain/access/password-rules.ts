import { invalid } from '../errors.ts'

const minPasswordLength = 12
export const maxPasswordLength = 1_000

export type PasswordContext = {
  /** Whether it is one of those that many people have. */
  isCommon: (password: string) => boolean
  /** What stands in plain sight beside the account: names and addresses. */
  words: readonly string[]
}

/**
 * One spelling for what looks and is typed alike: some keyboards send `é` as one character, others
 * as two (NIST SP 800-63B 5.1.1.2: NFKC or NFKD, before anything is hashed).
 */
export const normalPassword = (password: string): string => password.normalize('NFKC')

/** NIST SP 800-63B: length counts, composition rules do not. */
export function checkPasswordLength(password: string): void {
  // Code points, as the standard counts: an emoji is one character.
  const length = Array.from(normalPassword(password)).length
  if (length >= minPasswordLength && password.length <= maxPasswordLength) return
  throw refused('password_too_short', `has at least ${minPasswordLength} characters`)
}

/** …and it is none that a guesser tries first: common ones, repetitions, rows of keys, names in plain sight. */
export function checkPassword(password: string, { isCommon, words }: PasswordContext): void {
  checkPasswordLength(password)
  // What will be hashed: full-width letters hide no common password.
  const lower = normalPassword(password).toLowerCase()
  if (isCommon(lower) || repeats(lower) || runsOn(lower))
    throw refused('password_too_common', 'is none that many people have')
  if (isMostlyOf(lower, words))
    throw refused('password_too_common', 'is not made of your name, address or organization')
}

/** `aaaaaaaaaaaa`, `abcabcabcabc`, `passwordpassword`: some piece, again and again. */
function repeats(text: string): boolean {
  const again = (text + text).indexOf(text, 1)
  return again < text.length || new Set(text).size <= 3
}

const rows = ['abcdefghijklmnopqrstuvwxyz', '01234567890', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm']
const sequences = rows.flatMap((row) => [row, Array.from(row).toReversed().join('')])

/** `abcdefghijkl`, `qwertyuiop12`: keys or letters in their order, at most three times anew. */
function runsOn(text: string): boolean {
  let breaks = 0
  for (let at = 1; at < text.length; at += 1) {
    const pair = text.slice(at - 1, at + 1)
    if (!sequences.some((row) => row.includes(pair))) breaks += 1
  }
  return breaks <= 2
}

/** Where the words are taken out, too little is left to guess. */
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

/** Shorter words are in every other sentence. */
const minWordLength = 4
/** What NIST asks of a password at the very least. */
const minOwnCharacters = 8

const refused = (code: string, rule: string) =>
  invalid(`A password ${rule}.`, [{ path: 'password', message: rule }], code)
