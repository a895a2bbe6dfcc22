import type { TextRange } from './text-matcher.ts'

/**
 * Finds secrets by their shape: keys and tokens of clouds, of Git hosts and of this service. Each pattern
 * is linear in the text, because the author of a plan chooses the text. The test has the worst line of
 * each.
 */
export function findTokens(text: string, { urls = true }: TokenChoice = {}): TextRange[] {
  return tokenShapes.flatMap((shape) => (urls || shape !== urlPassword ? shape.find(text) : []))
}

/** `urls: false` leaves out the passwords in URLs, which may be any word. */
export type TokenChoice = { urls?: boolean }

type TokenShape = { name: string; find: (text: string) => TextRange[] }

const byPattern = (name: string, pattern: RegExp): TokenShape => ({
  name,
  find: (text) =>
    Array.from(text.matchAll(pattern), ({ index, 0: token }) => ({
      start: index,
      end: index + token.length,
    })),
})

export const urlPassword = byPattern('url-password', /(?<=:\/\/[^\s/:@]{1,100}:)[^\s/@]{3,}(?=@)/g)

/** A fixed prefix and one character class: without backtracking. */
export const tokenShapes: readonly TokenShape[] = [
  byPattern('aws', /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g),
  byPattern('own', /\bcc_(?:pat|scim|agt|run)_[0-9A-Za-z]{20,}\b/g),
  byPattern('github', /\bgh[pousr]_[0-9A-Za-z]{20,}\b/g),
  byPattern('github-fine', /\bgithub_pat_[0-9A-Za-z_]{20,}\b/g),
  byPattern('gitlab', /\bglpat-[0-9A-Za-z_-]{20,}/g),
  byPattern('slack', /\bxox[abprs]-[0-9A-Za-z-]{10,}/g),
  { name: 'jwt', find: findWebTokens },
  byPattern(
    'private-key',
    /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g,
  ),
  urlPassword,
]

/**
 * JSON Web Tokens: three words joined by dots, the first one with `eyJ`. Compared by words, because a
 * single pattern would start again at each `eyJ` of a word: `eyJ-eyJ-eyJ-…` took minutes.
 */
function findWebTokens(text: string): TextRange[] {
  if (!text.includes('eyJ')) return []
  const words = Array.from(text.matchAll(/[0-9A-Za-z_-]+/g), ({ index, 0: word }) => ({
    start: index,
    end: index + word.length,
    head: word,
  }))
  const follows = (at: number): boolean => {
    const [before, word] = [words[at - 1], words[at]]
    return (
      before !== undefined &&
      word !== undefined &&
      word.end - word.start >= 10 &&
      word.start === before.end + 1 &&
      text[before.end] === '.'
    )
  }
  const found: TextRange[] = []
  for (const [at, { start, end, head }] of words.entries()) {
    const from = head.search(/\beyJ/)
    if (from < 0 || head.length - from < 13) continue
    // A token that is cut before its signature still has readable claims.
    if (!follows(at + 1) || !(follows(at + 2) || words[at + 1]?.end === text.length)) continue
    found.push({ start: start + from, end: words[follows(at + 2) ? at + 2 : at + 1]?.end ?? end })
  }
  return found
}
