import { Pattern } from './pattern.ts'

/** Characters that break a line or change the direction of the text after them (CVE-2021-42574). */
const controls = '\\u0000-\\u001f\\u007f\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069'
/** Spaces that break no line. Spelled out, because `\s` differs between JSON Schema implementations. */
const spaces = ' \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000\\ufeff'

/**
 * Text for mail subjects, logs and lists: without line breaks or other control characters, so that an
 * attacker cannot forge a second header or line, or text that looks like another. Required text must
 * not be blank, which a list would show as nothing.
 */
export const OneLine = (maxLength: number, minLength = 1) =>
  minLength === 0
    ? Pattern(`^[^${controls}]*$`, 'one line, without control characters', { maxLength })
    : Pattern(
        // Unambiguous, so that a long text that does not match takes linear time.
        `^[${spaces}]*[^${controls}${spaces}][^${controls}]*$`,
        'one line that is not blank, without control characters',
        { minLength, maxLength },
      )
