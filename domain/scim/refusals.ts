import { AppError, type ScimType } from '../errors.ts'

/** A 400 of RFC 7644 3.12. */
export const refusal = (scimType: ScimType, detail: string): AppError =>
  new AppError('invalid', detail, { code: 'scim', scimType })

/** Quotes a caller's own text in an answer, shortened. */
export const quoted = (text: string): string =>
  `"${text.length > 80 ? `${text.slice(0, 80)}…` : text}"`
