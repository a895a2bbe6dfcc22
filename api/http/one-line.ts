import { Type } from 'typebox'

/**
 * Text that ends up in mail subjects, logs and lists: no line break or other control
 * character, so that none of them can be made to look like two (header injection).
 */
export const OneLine = (maxLength: number, minLength = 1) =>
  Type.String({ minLength, maxLength, pattern: '^[^\\u0000-\\u001f\\u007f\\u2028\\u2029]*$' })
