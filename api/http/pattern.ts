import { Type } from 'typebox'

const known = new Map<string, string>()

/**
 * A string with a pattern, and the pattern in words that follow "must be" or "is". Errors and the
 * reference show the words, because a regular expression explains nothing to a person.
 */
export function Pattern(pattern: string, words: string, options: Options = {}) {
  known.set(pattern, words)
  const description = options.description ?? `${words[0]?.toUpperCase()}${words.slice(1)}.`
  return Type.String({ ...options, pattern, description })
}

type Options = { minLength?: number; maxLength?: number; format?: 'date'; description?: string }

/** Names of organizations, workspaces and other things in addresses. */
export const Name = Pattern(
  '^[a-z0-9][a-z0-9-]{0,62}$',
  '1 to 63 lower-case letters, digits and hyphens, of which the first is no hyphen',
  { maxLength: 63 },
)

/** ISO 4217. */
export const Currency = Pattern('^[A-Z]{3}$', 'a currency of three capital letters, as EUR')

/** The `nextCursor` of an earlier answer. */
export const Cursor = (pattern: string, options: Options = {}) =>
  Pattern(pattern, 'the nextCursor of the page before, as it was', options)

/** A time, or a day: `from` from its beginning and `to` through its end, in UTC. */
export const Moment = Pattern(
  '^[0-9]{4}-[0-9]{2}-[0-9]{2}([Tt ][0-9:.]{5,20}([Zz]|[+ -][0-9]{2}:?[0-9]{2}))?$',
  'a day or a time with its zone, as 2026-01-31 or 2026-01-31T12:00:00Z',
  { maxLength: 40 },
)

/** Text in a query: `%00` is refused before any route, so the reference says so. */
export const QueryText = (options: Options) =>
  Pattern('^[^\\u0000]*$', 'text without a NUL character', options)

/** The words of a pattern, for the text of its refusal. */
export const wordsOfPattern = (pattern: string): string | undefined => known.get(pattern)
