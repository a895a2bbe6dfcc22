import { AppError, type ErrorDetail } from '../../domain/errors.ts'
import { wordsOfPattern } from './pattern.ts'
import { settleUnions, type AjvFault } from './settle-unions.ts'

/** Says where and what is wrong, one entry per fault, in the caller's own field names. */
export function validationFault(faults: readonly AjvFault[]): AppError {
  const details: ErrorDetail[] = settleUnions(faults)
    .slice(0, 20)
    .map((fault) => {
      const path = (fault.instancePath ?? '').split('/').filter(Boolean)
      const extra = fault.params?.['additionalProperty'] ?? fault.params?.['missingProperty']
      if (typeof extra === 'string') path.push(extra)
      return { path: path.join('.') || 'body', message: wordsOf(fault) }
    })
  const first = details[0]
  return new AppError('invalid', first ? `${first.path}: ${first.message}` : 'Invalid request', {
    code: 'validation_failed',
    details,
  })
}

/** Ajv gives one type as text, and several as a list or as text with commas. */
const typesOf = (types: unknown): string[] =>
  (typeof types === 'string' ? types.split(',') : Array.isArray(types) ? types : []).map(String)

/** `a, b or c`. */
const oneOf = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`

function wordsOf(fault: AjvFault): string {
  if (fault.params?.['additionalProperty'] !== undefined) return 'is not a field of this request'
  if (fault.params?.['missingProperty'] !== undefined) return 'is required'
  const allowed = fault.params?.['allowedValues'] ?? fault.params?.['allowedValue']
  if (Array.isArray(allowed))
    return `must be ${oneOf(allowed.map((v) => JSON.stringify(v)).concat(typesOf(fault.params?.['orType'])))}`
  if (allowed !== undefined) return `must be ${JSON.stringify(allowed)}`
  if (fault.keyword === 'type') return `must be ${oneOf(typesOf(fault.params?.['type']))}`
  const pattern = fault.params?.['pattern']
  if (typeof pattern === 'string') return `must be ${wordsOfPattern(pattern) ?? 'of another form'}`
  return fault.message ?? 'is invalid'
}
