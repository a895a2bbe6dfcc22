import { Pattern } from './pattern.ts'

const breaks = '\\u0000-\\u001f\\u007f\\u2028\\u2029'
/** Those that break no line. Spelled out: what `\s` is differs between the readers of the reference. */
const spaces = ' \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000\\ufeff'

/**
 * Text that ends up in mail subjects, logs and lists: no line break or other control character, so
 * that none of them can be made to look like two (header injection). What has to be there is no
 * row of spaces either, which a list would show as nothing.
 */
export const OneLine = (maxLength: number, minLength = 1) =>
  minLength === 0
    ? Pattern(`^[^${breaks}]*$`, 'one line, without control characters', { maxLength })
    : Pattern(
        // Each character has one place in it, so that a long text that does not match takes no longer.
        `^[${spaces}]*[^${breaks}${spaces}][^${breaks}]*$`,
        'one line that is not blank, without control characters',
        { minLength, maxLength },
      )
