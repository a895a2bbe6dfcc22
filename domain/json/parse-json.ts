import { isUtf8 } from 'node:buffer'
import { AppError } from '../errors.ts'
import { jsonPosition, type JsonPosition } from './json-position.ts'
import { faultOfShape } from './json-shape.ts'

export type ParsedJson = { value?: unknown; fault?: string; position?: JsonPosition }

/** NUL or half of a surrogate pair: both can only be written as an escape, so other texts need no check. */
const suspectEscape = /\\u(?:0000|[dD][89a-fA-F])/

/**
 * Parses a body. Refuses what a proxy or a log could read differently (duplicate keys), what costs
 * stack (depth) or time (more than `maxMembers` fields and items), what reaches prototypes, and what PostgreSQL cannot store as sent: NUL, which it
 * refuses, and half of a surrogate pair, which the driver would replace by U+FFFD. An empty body
 * counts as absent.
 */
export function parseJson(text: string, maxMembers?: number): ParsedJson {
  if (text.trim() === '') return {}
  // The shape is checked first, so that a value nested a million levels deep is never built.
  const shape = faultOfShape(text, maxMembers)
  if (shape) return { fault: `The body ${shape}, which is refused.` }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    const position = jsonPosition(text)
    const { line, column } = position
    return { fault: `The body is not JSON (at line ${line}, column ${column}).`, position }
  }
  const fault = suspectEscape.test(text) ? faultOfStrings(value) : undefined
  return fault ? { fault: `The body has ${fault}, which is refused.` } : { value }
}

/** The same of bytes, which must be UTF-8 (RFC 8259, 8.1). Decoded anyway, two passwords could become one. */
export const parseJsonBytes = (bytes: Buffer, maxMembers?: number): ParsedJson =>
  isUtf8(bytes) ? parseJson(bytes.toString(), maxMembers) : { fault: notUtf8 }

const notUtf8 = 'The body is not UTF-8, which is refused.'

export function malformed({ fault = '', position }: ParsedJson): AppError {
  const details = position && [{ path: 'body', message: 'is not JSON from here on', ...position }]
  return new AppError('invalid', fault, { code: 'malformed_json', ...(details && { details }) })
}

/** Only called if an escape is suspect; the depth is bounded by then. */
function faultOfStrings(value: unknown): string | undefined {
  if (typeof value === 'string') {
    if (value.includes('\u0000')) return 'a NUL character'
    return value.isWellFormed() ? undefined : 'half of a surrogate pair'
  }
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, item] of Object.entries(value)) {
    const fault = faultOfStrings(key) ?? faultOfStrings(item)
    if (fault) return fault
  }
  return undefined
}
