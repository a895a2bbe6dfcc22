import { stripControls } from '../secrets/strip-controls.ts'

/** As long as a person's message may be. */
const maxLength = 500
/** Characters that end a line or change the direction of the text after them (CVE-2021-42574). */
const misleading = /[\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

/** The first line of a commit's message, which anybody can write: one that a list can show. Null where it is blank. */
export function firstLineOf(message: string): string | null {
  const [line = ''] = message.trimStart().split(/\r?\n/, 1)
  const plain = stripControls(line).replaceAll('\t', ' ').replaceAll(misleading, '').trim()
  // By characters, so that none is cut in two.
  return (
    Array.from(plain.slice(0, 2 * maxLength))
      .slice(0, maxLength)
      .join('') || null
  )
}
