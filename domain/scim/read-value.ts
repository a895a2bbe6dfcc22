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
 * A value of a POST or PUT. It has its attribute's type (RFC 7643 2.3): a number is no string, an
 * object no list. Undefined is unassigned: null, an empty string, an empty list (RFC 7643 2.5).
 * Two forms that identity providers send are read all the same: booleans as text, and a
 * manager's id for `{ value: id }`.
 */
export const readValue = (attribute: Attribute, value: unknown): Value | undefined =>
  readKeeping(attribute, value, saysSomething)

/** Whether an element has more than a type: a label of no value is no value (RFC 7643 2.5). */
export const saysSomething = (element: Element): boolean =>
  Object.keys(element).some((name) => name !== 'type' && name !== 'primary' && name !== 'display')

function readKeeping(
  attribute: Attribute,
  value: unknown,
  keeps: (element: Element) => boolean,
): Value | undefined {
  if (value === null || value === undefined) return undefined
  if (!attribute.multiValued) return readOne(attribute, value)
  if (!Array.isArray(value))
    throw refusal('invalidValue', `${attribute.name} is a list, not ${kindOf(value)}.`)
  const isMembers = attribute.name === 'members'
  // Members are bounded by the size of a body, and never kept in a document.
  if (!isMembers) assertFew(attribute, value)
  const elements = value
    .map((item: unknown) => readElement(attribute, item))
    // A member that names nobody is refused where it is read; an empty address is none.
    .filter((element) => isMembers || keeps(element))
  return elements.length === 0 ? undefined : withOnePrimary(elements)
}

/**
 * A value of a PATCH. Entra ID wraps one value as it would wrap several, authentik sends one
 * element without its list, Ping a member as its id. It may name a type alone, of an element that has a value.
 */
export function readPatchValue(attribute: Attribute, value: unknown): Value | undefined {
  if (!attribute.multiValued) return readValue(attribute, unwrapped(value))
  if (typeof value === 'string' && attribute.name === 'members')
    return readValue(attribute, [{ value }])
  const isElement = typeof value === 'object' && value !== null && !Array.isArray(value)
  return readKeeping(attribute, isElement ? [value] : value, hasParts)
}

export function assertFew({ name }: Attribute, values: readonly unknown[]): void {
  if (values.length > maxElements)
    throw refusal('invalidValue', `${name} has at most ${maxElements} values.`)
}

function readOne(attribute: Attribute, value: unknown): Simple | Element | undefined {
  if (attribute.type !== 'complex') return readSimple(attribute, value)
  const isId = typeof value === 'string' && findSub(attribute, 'value')
  const element = readElement(attribute, isId ? { value } : value)
  return hasParts(element) ? element : undefined
}

const hasParts = (element: Element): boolean => Object.keys(element).length > 0

/** Keeps the first primary element: with two it would be arbitrary which address is used. */
export function withOnePrimary(elements: Element[]): Element[] {
  const first = elements.findIndex(({ primary }) => primary === true)
  return elements.map((element, at) =>
    element['primary'] === true && at !== first ? { ...element, primary: false } : element,
  )
}

/** The sub-attributes of a complex value that are known and the client's to say; there may be none. */
function readElement(attribute: Attribute, value: unknown): Element {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const what = attribute.multiValued ? 'has objects' : 'is an object'
    throw refusal('invalidValue', `${attribute.name} ${what}, not ${kindOf(value)}.`)
  }
  const element: Element = {}
  for (const name of Object.keys(value)) {
    const sub = findSub(attribute, name)
    // Read-only attributes are ignored and not refused: clients send back what they were given.
    if (!sub || sub.mutability === 'readOnly') continue
    // It is one of the object's own keys.
    const read = readSimple(sub, (value as Record<string, unknown>)[name])
    if (read !== undefined) element[sub.name] = read
  }
  return element
}

export function readSimple(attribute: Attribute, value: unknown): Simple | undefined {
  if (value === null || value === undefined) return undefined
  if (attribute.type === 'boolean') return readBoolean(attribute, value)
  if (typeof value !== 'string')
    throw refusal('invalidValue', `${attribute.name} is a string, not ${kindOf(value)}.`)
  if (value.length > maxLength)
    throw refusal('invalidValue', `${attribute.name} has at most ${maxLength} characters.`)
  if (
    // A unit of UTF-16 has at most 3 bytes.
    value.length * 3 > maxKeyBytes &&
    keys.has(attribute.name) &&
    Buffer.byteLength(value) > maxKeyBytes
  )
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

/** `[{ value: "x" }]` is x; with more in it than a value it stays an object. */
export function unwrapped(value: unknown): unknown {
  const only: unknown = Array.isArray(value) && value.length === 1 ? value[0] : undefined
  if (typeof only !== 'object' || only === null || Array.isArray(only)) return value
  const names = Object.keys(only)
  return names.length === 1 && 'value' in only ? only.value : only
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
