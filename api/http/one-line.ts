import { Pattern } from './pattern.ts'

/** What breaks a line, and what turns the order of those that follow it (CVE-2021-42574). */
const controls = '\\u0000-\\u001f\\u007f\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069'
/** Spaces that break no line. Spelled out: what `\s` is differs between the readers of the reference. */
const spaces = ' \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000\\ufeff'

/**
 * Text that ends up in mail subjects, logs and lists: no line break or other control character, so
 * that none of them can be made to look like two (header injection) or like another. What has to be
 * there is no row of spaces either, which a list would show as nothing.
 */
export const OneLine = (maxLength: number, minLength = 1) =>
  minLength === 0
    ? Pattern(`^[^${controls}]*$`, 'one line, without control characters', { maxLength })
    : Pattern(
        // Each character has one place in it, so that a long text that does not match takes no longer.
        `^[${spaces}]*[^${controls}${spaces}][^${controls}]*$`,
        'one line that is not blank, without control characters',
        { minLength, maxLength },
      )
