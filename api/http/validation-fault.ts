import { AppError, type ErrorDetail } from '../../domain/errors.ts'
import { wordsOfPattern } from './pattern.ts'
import { settleUnions, type AjvFault } from './settle-unions.ts'

/**
 * Says where and what is wrong, one entry per fault, in the caller's own field names. With the schema,
 * a key that has the wrong form is told the form.
 */
export function validationFault(faults: readonly AjvFault[], schema?: unknown): AppError {
  const details: ErrorDetail[] = settleUnions(faults)
    .slice(0, 20)
    .map((fault) => {
      const path = (fault.instancePath ?? '').split('/').filter(Boolean)
      const extra = fault.params?.['additionalProperty'] ?? fault.params?.['missingProperty']
      if (typeof extra === 'string') path.push(extra)
      return { path: path.join('.') || 'body', message: wordsOf(fault, schema) }
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

function wordsOf(fault: AjvFault, schema: unknown): string {
  if (fault.params?.['additionalProperty'] !== undefined) {
    const pattern = patternOfKeys(fault, schema)
    if (pattern === undefined) return 'is not a field of this request'
    return `is not a key that is allowed here: a key is ${wordsOfPattern(pattern) ?? 'of another form'}`
  }
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

/** The form of the keys where the fault was found, if any key of that form is allowed there. */
function patternOfKeys({ schemaPath = '' }: AjvFault, schema: unknown): string | undefined {
  // RFC 6901, as a fragment: `#/properties/labels/additionalProperties`.
  const steps = schemaPath.split('/').slice(1, -1)
  let at: unknown = schema
  for (const step of steps)
    at = fieldOf(at, decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'))
  return Object.keys(fieldOf(at, 'patternProperties') ?? {})[0]
}

const fieldOf = (of: unknown, name: string): object | undefined =>
  (of as Record<string, object> | undefined)?.[name]
