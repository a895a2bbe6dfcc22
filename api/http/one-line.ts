import { Pattern } from './pattern.ts'

/**
 * Text that ends up in mail subjects, logs and lists: no line break or other control
 * character, so that none of them can be made to look like two (header injection).
 */
export const OneLine = (maxLength: number, minLength = 1) =>
  Pattern('^[^\\u0000-\\u001f\\u007f\\u2028\\u2029]*$', 'one line, without control characters', {
    minLength,
    maxLength,
  })
