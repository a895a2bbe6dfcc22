import { findAttribute, findSub, type AttributePath } from './attribute-path.ts'
import type { CompareOperator, FilterValue, ParsedFilter } from './parse-filter.ts'
import { asKept } from './read-value.ts'
import { quoted, refusal } from './refusals.ts'
import { schemasAttribute, type Attribute, type ResourceSchema } from './schemas.ts'

/** With all names looked up and all values of their attributes' types, ready to become SQL. */
export type Filter =
  | { kind: 'and' | 'or'; parts: Filter[] }
  | { kind: 'not'; part: Filter }
  | { kind: 'present'; path: AttributePath }
  | { kind: 'compare'; path: AttributePath; operator: CompareOperator; value: string | boolean }
  /** `filter` is about sub-attributes: its paths have the sub-attribute as `attribute`. */
  | { kind: 'element'; path: AttributePath; filter: Filter }

type Lookup = (name: string) => AttributePath | undefined

/**
 * Refuses an unknown attribute instead of matching nobody: a connector reads an empty list as
 * "no such user" and creates a duplicate.
 */
export const resolveFilter = (schema: ResourceSchema, parsed: ParsedFilter): Filter =>
  resolve(
    (name) =>
      name.toLowerCase() === 'schemas'
        ? { attribute: schemasAttribute }
        : findAttribute(schema, name),
    parsed,
  )

/** Of the elements of one attribute, as in a value path. */
export const resolveElementFilter = (attribute: Attribute, parsed: ParsedFilter): Filter =>
  resolve((name) => {
    const sub = findSub(attribute, name)
    return sub && { attribute: sub }
  }, parsed)

function resolve(lookup: Lookup, parsed: ParsedFilter): Filter {
  switch (parsed.kind) {
    case 'and':
    case 'or':
      return { kind: parsed.kind, parts: parsed.parts.map((part) => resolve(lookup, part)) }
    case 'not':
      return { kind: 'not', part: resolve(lookup, parsed.part) }
    case 'present':
      return { kind: 'present', path: found(lookup, parsed.path) }
    case 'element': {
      const path = found(lookup, parsed.path)
      if (path.sub || !path.attribute.multiValued)
        throw refusal('invalidFilter', `${quoted(parsed.path)} has no elements to choose from.`)
      return { kind: 'element', path, filter: resolveElementFilter(path.attribute, parsed.filter) }
    }
  }
  return compare(withDefault(found(lookup, parsed.path), parsed.path), parsed)
}

function found(lookup: Lookup, name: string): AttributePath {
  const path = lookup(name)
  if (!path) throw refusal('invalidFilter', `There is no attribute ${quoted(name)} to filter by.`)
  return path
}

/** `emails eq "…"` compares the values (RFC 7643 2.4). */
function withDefault(path: AttributePath, name: string): AttributePath {
  if (path.sub || path.attribute.type !== 'complex') return path
  const sub = findSub(path.attribute, 'value')
  if (!sub) throw refusal('invalidFilter', `${quoted(name)} is compared by one of its parts.`)
  return { ...path, sub }
}

function compare(
  path: AttributePath,
  { operator, value }: { operator: CompareOperator; value: FilterValue },
): Filter {
  const { name, type } = path.sub ?? path.attribute
  const wrong = (wanted: string) => refusal('invalidFilter', `${quoted(name)} ${wanted}.`)
  if (value === null) {
    if (operator === 'eq') return { kind: 'not', part: { kind: 'present', path } }
    if (operator === 'ne') return { kind: 'present', path }
    throw wrong('can be compared with null by eq and ne alone')
  }
  if (type === 'boolean') {
    if (operator !== 'eq' && operator !== 'ne') throw wrong('is compared by eq and ne alone')
    return {
      kind: 'compare',
      path,
      operator,
      value: booleanOf(value, () => wrong('is true or false')),
    }
  }
  if (typeof value !== 'string') throw wrong('is compared with a string in double quotes')
  if (type !== 'dateTime') {
    const isWhole = operator === 'eq' || operator === 'ne'
    return {
      kind: 'compare',
      path,
      operator,
      value: isWhole ? asKept(value) : value.normalize('NFC'),
    }
  }
  if (operator === 'co' || operator === 'sw' || operator === 'ew')
    throw wrong('is a time: compare it by eq, ne, gt, ge, lt, le')
  if (!/^[12]\d{3}-\d\d-\d\d(T|$)/.test(value) || Number.isNaN(Date.parse(value)))
    throw wrong('is compared with a time such as "2026-01-31T12:00:00Z"')
  return { kind: 'compare', path, operator, value: new Date(value).toISOString() }
}

/** Entra ID writes `primary eq "True"`. */
function booleanOf(value: FilterValue, wrong: () => Error): boolean {
  const text = String(value).toLowerCase()
  if (text !== 'true' && text !== 'false') throw wrong()
  return text === 'true'
}
