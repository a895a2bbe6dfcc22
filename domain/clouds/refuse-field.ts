import { invalid, type AppError } from '../errors.ts'

export const refuseField = (path: string, message: string): AppError =>
  invalid(`${path}: ${message}.`, [{ path, message }])

/** What was sent of these fields, and nothing that belongs to another provider or another form. */
export function onlyFields<F extends string>(
  sent: Readonly<Record<string, string | undefined>>,
  { at, fields, form }: { at: string; fields: readonly F[]; form: string },
): Partial<Record<F, string>> {
  const known: readonly string[] = fields
  for (const [field, value] of Object.entries(sent))
    if (value !== undefined && !known.includes(field))
      throw refuseField(`${at}.${field}`, `is no part of ${form}`)
  // Checked above: every field that is set is one of `fields`.
  return sent as Partial<Record<F, string>>
}
