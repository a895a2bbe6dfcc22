import { jsonPosition, type JsonPosition } from './json-position.ts'
import { faultOfShape } from './json-shape.ts'

export type ParsedJson = { value?: unknown; fault?: string; position?: JsonPosition }

/** A NUL, half of a surrogate pair: both can only be written as an escape, so a text without one holds neither. */
const suspectEscape = /\\u(?:0000|[dD][89a-fA-F])/

/**
 * Parses a body and refuses what would mean one thing to a proxy or a log and another to
 * us (duplicate keys), what costs a stack (depth), what reaches into prototypes, and what
 * PostgreSQL cannot store as it was sent: NUL, which it refuses, and half of a surrogate
 * pair, which the driver would silently turn into U+FFFD. An empty body is no body.
 */
export function parseJson(text: string): ParsedJson {
  if (text.trim() === '') return {}
  // The shape first: what is nested a million deep is never built.
  const shape = faultOfShape(text)
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

/** Only where an escape gives reason to look; the shape has bounded the depth. */
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
