import { invalid } from '../errors.ts'

export const sourceForm = /^[a-z0-9-]{1,63}$/
const maxNameLength = 200

/** The name under which uploads belong together. Throws 400. */
export function assertSourceName(name: string): void {
  if (sourceForm.test(name)) return
  const message = 'is 1 to 63 lower-case letters, digits and hyphens'
  throw invalid(`The source ${message}.`, [{ path: 'source', message }])
}

/** A file's name is shown and kept, and never used as a path. Throws 400. */
export function assertFileName(name: string | undefined): string {
  const refuse = (message: string) =>
    invalid(`A file's name ${message}.`, [{ path: 'file', message }])
  if (name === undefined || name === '') throw refuse('is missing')
  if (name.length > maxNameLength) throw refuse(`has at most ${maxNameLength} characters`)
  // oxlint-disable-next-line no-control-regex -- these are what is refused
  if (/[/\\\u0000-\u001f\u007f]/.test(name)) throw refuse('has no slash and no control character')
  if (!/\.(parquet|csv|csv\.gz)$/i.test(name)) throw refuse('ends in .parquet, .csv or .csv.gz')
  return name
}

/** What the slices of an upload name as their manifest. */
export const manifestOfUpload = (uploadId: number): string => `upload ${uploadId}`
