import { unavailable } from '../../domain/errors.ts'

export type CommitText = {
  sha: string
  committedAt: Date
  /** `Ann <ann@example.com>`, as the commit has it. */
  author: string
  message: string
}

/** A text of a person in a commit, as it is kept. */
const maxAuthor = 300
const maxMessage = 4_000
/** The last second of the year 9999: PostgreSQL and JSON have no later time. */
const lastSecond = 253_402_300_799

/**
 * Reads what `git log --format='%H%n%ct%n%an <%ae>%n%B'` prints. A commit is written by anybody: its
 * texts may be any bytes and its time any number, so both are brought into what can be kept.
 */
export function readCommit(bytes: Buffer): CommitText {
  const [sha = '', time = '', author = '', ...message] = bytes.toString().split('\n')
  if (!/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(sha) || !/^-?\d+$/.test(time))
    throw unavailable('source_unreadable', 'git printed no commit.')
  const seconds = Math.min(Math.max(0, Number(time)), lastSecond)
  return {
    sha,
    committedAt: new Date(seconds * 1_000),
    author: plain(author).slice(0, maxAuthor),
    message: plain(message.join('\n')).trim().slice(0, maxMessage),
  }
}

/** What a listed commit says of itself. It may say anything, so it proves nothing. */
export type CommitWords = { sha: string; author: string; message: string }

/** The same of a commit that a host lists. */
export const commitWords = (
  sha: string,
  author: string | undefined,
  message: string | undefined,
): CommitWords => ({
  sha,
  author: plain(author ?? '').slice(0, maxAuthor),
  message: plain(message ?? '')
    .trim()
    .slice(0, maxMessage),
})

/** Without control characters, which PostgreSQL refuses (NUL) or a terminal obeys, but line breaks. */
const plain = (text: string): string => text.replaceAll(/[^\P{Cc}\n]|[\u2028\u2029]/gu, ' ')
