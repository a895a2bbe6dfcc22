import { Type } from 'typebox'

const known = new Map<string, string>()

/**
 * Text of a form, with the form in words that go on after "must be" or "is": people are told
 * the words, for a regular expression tells them nothing. In the description they are part of
 * the reference too.
 */
export function Pattern(pattern: string, words: string, options: Options = {}) {
  known.set(pattern, words)
  const description = options.description ?? `${words[0]?.toUpperCase()}${words.slice(1)}.`
  return Type.String({ ...options, pattern, description })
}

type Options = { minLength?: number; maxLength?: number; format?: 'date'; description?: string }

/** Of organizations, workspaces and whatever else is named in an address. */
export const Name = Pattern(
  '^[a-z0-9][a-z0-9-]{0,62}$',
  '1 to 63 lower-case letters, digits and hyphens, of which the first is no hyphen',
  { maxLength: 63 },
)

/** ISO 4217. */
export const Currency = Pattern('^[A-Z]{3}$', 'a currency of three capital letters, as EUR')

/** Of a page that an answer before gave as `nextCursor`. */
export const Cursor = (pattern: string, options: Options = {}) =>
  Pattern(pattern, 'the nextCursor of the page before, as it was', options)

/** Of an address: `%00` is refused there before a route looks at it, so the reference says so. */
export const QueryText = (options: Options) =>
  Pattern('^[^\\u0000]*$', 'text without a NUL character', options)

/** The words of a pattern, for whoever renders its refusal. */
export const wordsOfPattern = (pattern: string): string | undefined => known.get(pattern)
