import { AppError, type ErrorDetail } from '../errors.ts'
import { isRecord } from '../infrastructure/record.ts'
import { malformed, parseJsonBytes } from '../json/parse-json.ts'
import { examineFiles, type ConfigurationFiles, type ExaminedFiles } from './configuration-files.ts'
import { prepareFiles, type PreparedFiles } from './prepared-files.ts'

/** Files as they are stored, and what there is to say against them. */
export type ReadFiles = PreparedFiles & Omit<ExaminedFiles, 'names'>

/** `commit` of files that were read from Git. */
export const readFiles = (files: ConfigurationFiles, commit?: string): ReadFiles => {
  const { details, refused } = examineFiles(files)
  return { ...prepareFiles(files, commit), details, refused }
}

const maxDetails = 20

/** Reads the body of an upload, `{ files: { name: text } }`, as the API reads a smaller one. */
export function readConfigurationBody(bytes: Buffer, commit?: string): ReadFiles {
  const parsed = parseJsonBytes(bytes)
  if (parsed.fault !== undefined) throw malformed(parsed)
  const details = faultsOf(parsed.value).slice(0, maxDetails)
  if (details[0])
    throw new AppError('invalid', `${details[0].path}: ${details[0].message}`, {
      code: 'validation_failed',
      details,
    })
  // What was not found to be at fault.
  return readFiles((parsed.value as { files: ConfigurationFiles }).files, commit)
}

function faultsOf(body: unknown): ErrorDetail[] {
  if (!isRecord(body)) return [{ path: 'body', message: 'must be object' }]
  const { files, ...others } = body
  const unknown = Object.keys(others).map((path) => ({
    path,
    message: 'is not a field of this request',
  }))
  if (files === undefined) return [{ path: 'files', message: 'is required' }, ...unknown]
  if (!isRecord(files)) return [...unknown, { path: 'files', message: 'must be object' }]
  const wrong = Object.entries(files)
    .filter(([, text]) => typeof text !== 'string')
    .map(([name]) => ({ path: `files.${name.slice(0, 255)}`, message: 'must be string' }))
  return [...unknown, ...wrong]
}
