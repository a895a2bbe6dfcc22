import { findSub } from './attribute-path.ts'
import { quoted, refusal } from './refusals.ts'
import type { Attribute } from './schemas.ts'

export type Simple = string | boolean
export type Element = Record<string, Simple>
/** For a value that is a string if it is there. */
export const textOrNull = (value: unknown): string | null =>
  typeof value === 'string' ? value : null

export type Value = Simple | Element | Element[]

const maxLength = 1_000
const maxElements = 100
/** People, groups and addresses are indexed, and PostgreSQL bounds an index row; lower case may take more bytes. */
const maxKeyBytes = 1_700
const keys = new Set(['userName', 'externalId', 'displayName', 'value'])

/**
 * Converts a value to its attribute's type, from what identity providers send: "True" for true,
 * `[{ value: "x" }]` for x, a manager's id for `{ value: id }`. Undefined is unassigned: null, an empty
 * string, an empty array (RFC 7643 2.5).
 */
export function readValue(attribute: Attribute, value: unknown): Value | undefined {
  if (value === null || value === undefined || value === '') return undefined
  if (!attribute.multiValued) return readOne(attribute, value)
  const items = Array.isArray(value) ? value : [value]
  // Members are bounded by the body's size and never stored in a document.
  if (attribute.name !== 'members') assertFew(attribute, items)
  const elements = items
    .map((item: unknown) => readComplex(attribute, item))
    .filter((element) => element !== undefined)
  return elements.length === 0 ? undefined : withOnePrimary(elements)
}

export function assertFew({ name }: Attribute, values: readonly unknown[]): void {
  if (values.length > maxElements)
    throw refusal('invalidValue', `${name} has at most ${maxElements} values.`)
}

export function readOne(attribute: Attribute, value: unknown): Simple | Element | undefined {
  if (attribute.type === 'complex') return readComplex(attribute, unwrapped(value))
  return readSimple(attribute, value)
}

/** Keeps the first primary element: with two it would be arbitrary which address is used. */
export function withOnePrimary(elements: Element[]): Element[] {
  const first = elements.findIndex(({ primary }) => primary === true)
  return elements.map((element, at) =>
    element['primary'] === true && at !== first ? { ...element, primary: false } : element,
  )
}

function readComplex(attribute: Attribute, value: unknown): Element | undefined {
  if (value === null || value === '' || value === undefined) return undefined
  if (typeof value !== 'object') {
    const main = findSub(attribute, 'value')
    if (!main) throw refusal('invalidValue', `${attribute.name} is an object.`)
    return readComplex(attribute, { value })
  }
  if (Array.isArray(value)) throw refusal('invalidValue', `${attribute.name} has a list in a list.`)
  const element: Element = {}
  for (const [name, part] of Object.entries(value)) {
    const sub = findSub(attribute, name)
    // Read-only attributes are ignored and not refused: clients send back what they were given.
    if (!sub || sub.mutability === 'readOnly') continue
    const read = readSimple(sub, part)
    if (read !== undefined) element[sub.name] = read
  }
  return Object.keys(element).length === 0 ? undefined : element
}

export function readSimple(attribute: Attribute, wrapped: unknown): Simple | undefined {
  const value = unwrapped(wrapped)
  if (value === null || value === undefined || value === '') return undefined
  if (attribute.type === 'boolean') return readBoolean(attribute, value)
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value !== 'string')
    throw refusal('invalidValue', `${attribute.name} is a string, not ${kindOf(value)}.`)
  if (value.length > maxLength)
    throw refusal('invalidValue', `${attribute.name} has at most ${maxLength} characters.`)
  if (keys.has(attribute.name) && Buffer.byteLength(value) > maxKeyBytes)
    throw refusal('invalidValue', `${attribute.name} has at most ${maxKeyBytes} bytes.`)
  // Only an address has several lines (RFC 7643 4.1.2); elsewhere a line break could forge a second line.
  const allowed = attribute.name === 'formatted' ? /[^\P{Cc}\n\r\t]/u : /\p{Cc}/u
  if (allowed.test(value))
    throw refusal('invalidValue', `${attribute.name} has a control character.`)
  return asKept(value) || undefined
}

/** Normalizes a text, so that it is found in any spelling. */
export const asKept = (text: string): string => text.trim().normalize('NFC')

function readBoolean({ name }: Attribute, value: unknown): boolean {
  if (typeof value === 'boolean') return value
  const text = typeof value === 'string' ? value.toLowerCase() : ''
  if (text === 'true') return true
  if (text === 'false') return false
  throw refusal('invalidValue', `${name} is true or false, not ${quoted(JSON.stringify(value))}.`)
}

/** Entra ID wraps a single value in a list. */
function unwrapped(value: unknown): unknown {
  const only: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value
  if (only === value || typeof only !== 'object' || only === null) return only
  const keys = Object.keys(only)
  return keys.length === 1 && 'value' in only ? only.value : only
}

const kindOf = (value: unknown): string => (Array.isArray(value) ? 'a list' : `an ${typeof value}`)
