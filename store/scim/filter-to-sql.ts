import { findSub, type AttributePath } from '../../domain/scim/attribute-path.ts'
import { quoted, refusal } from '../../domain/scim/refusals.ts'
import type { Filter } from '../../domain/scim/resolve-filter.ts'

/** A condition with a `?` for each value: text of a caller is never part of the SQL. */
export type Sql = {
  text: string
  bindings: Array<string | boolean>
  /** Equality with one of `lookUps` and nothing else: there are few such texts, whatever callers send. */
  isLookUp?: boolean
}

/** Maps attributes to SQL. It is an allow-list: a filter reaches these columns and no others. */
export type FilterColumns = {
  /** SQL of a single value, by the attribute's name, `name.sub`, or `urn:attribute`. */
  values: Record<string, string>
  /** SQL that yields the elements of a multi-valued attribute, and one of a part of each. */
  elements: Record<string, { from: string; part: (name: string) => string | undefined }>
  /** What directories look resources up by: statements of these alone keep their plan. */
  lookUps?: ReadonlySet<string>
  /** A condition that uses an index, if there is one for equality with this value. */
  indexed?: (path: AttributePath, value: string) => Indexed | undefined
}

/** `complete`: it is equivalent to the exact condition; otherwise both conditions are used. */
export type Indexed = Sql & { complete: boolean }

export const nothing: Sql = { text: 'false', bindings: [] }

/** Translates a filter to SQL, so that PostgreSQL selects the rows. */
export function filterToSql(columns: FilterColumns, filter: Filter): Sql {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return joined(
        filter.kind,
        filter.parts.map((part) => filterToSql(columns, part)),
      )
    case 'not': {
      const { text, bindings } = filterToSql(columns, filter.part)
      // RFC 7644 3.4.2.2: `not` of a missing value is true, where SQL's `not` of null is null.
      return { text: `((${text}) is not true)`, bindings }
    }
    case 'present':
      return present(columns, filter.path)
    case 'compare':
      return compare(columns, filter)
  }
  return element(columns, filter)
}

type Compare = Extract<Filter, { kind: 'compare' }>

function compare(columns: FilterColumns, filter: Compare): Sql {
  const { path } = filter
  const one = columns.values[nameOf(path)]
  const exact = one === undefined ? someElement(columns, filter) : test(one, filter)
  const indexed =
    filter.operator === 'eq' && typeof filter.value === 'string'
      ? columns.indexed?.(path, filter.value)
      : undefined
  const isLookUp = filter.operator === 'eq' && columns.lookUps?.has(nameOf(path)) === true
  return { ...both(indexed, exact), isLookUp }
}

const both = (indexed: Indexed | undefined, exact: Sql): Sql =>
  !indexed ? exact : indexed.complete ? indexed : joined('and', [indexed, exact])

function someElement(columns: FilterColumns, filter: Compare): Sql {
  const { attribute, sub } = filter.path
  if (sub && !attribute.multiValued) throw unfindable(filter.path)
  if (!sub) return nothing
  return element(columns, {
    kind: 'element',
    path: { attribute },
    filter: { ...filter, path: { attribute: sub } },
  })
}

/** Refuses an attribute that cannot be searched; see resolve-filter.ts. */
const unfindable = (path: AttributePath) =>
  refusal('invalidFilter', `Nothing is found by ${quoted(nameOf(path))}.`)

function element(
  columns: FilterColumns,
  { path, filter }: Extract<Filter, { kind: 'element' }>,
): Sql {
  const source = columns.elements[path.attribute.name]
  if (!source) return nothing
  const parts = (path.attribute.subAttributes ?? []).flatMap(({ name }) => {
    const part = source.part(name)
    return part === undefined ? [] : [[name, part] as const]
  })
  const inner = filterToSql({ values: Object.fromEntries(parts), elements: {} }, filter)
  const exact = {
    text: `exists (select from ${source.from} where ${inner.text})`,
    bindings: inner.bindings,
  }
  const sub = findSub(path.attribute, 'value')
  const [value] = valuesOf(filter)
  const indexed = sub && value !== undefined && columns.indexed?.({ ...path, sub }, value)
  if (!indexed) return exact
  // The index does not cover the filter's other conditions on the element.
  return both({ ...indexed, complete: indexed.complete && filter.kind === 'compare' }, exact)
}

/** The values that every matching element must have, as far as the filter fixes them. */
function valuesOf(filter: Filter): string[] {
  if (filter.kind === 'and') return filter.parts.flatMap(valuesOf)
  if (filter.kind !== 'compare' || filter.operator !== 'eq') return []
  return filter.path.attribute.name === 'value' && typeof filter.value === 'string'
    ? [filter.value]
    : []
}

function present(columns: FilterColumns, path: AttributePath): Sql {
  const one = columns.values[nameOf(path)]
  if (one !== undefined) return { text: `${one} is not null`, bindings: [] }
  const { attribute, sub } = path
  if (attribute.multiValued) {
    const source = columns.elements[attribute.name]
    if (!source) return nothing
    const part = sub && source.part(sub.name)
    return {
      text: `exists (select from ${source.from}${part ? ` where ${part} is not null` : ''})`,
      bindings: [],
    }
  }
  if (sub) throw unfindable(path)
  const parts = (attribute.subAttributes ?? [])
    .map((each) => ({ ...path, sub: each }))
    .filter((each) => columns.values[nameOf(each)] !== undefined)
  return joined(
    'or',
    parts.map((each) => present(columns, each)),
  )
}

/** Operators on text; each placeholder takes the value once more. */
const textOperators = {
  co: (sql: string, value: string) => `strpos(${sql}, ${value}) > 0`,
  sw: (sql: string, value: string) => `starts_with(${sql}, ${value})`,
  ew: (sql: string, value: string) => `right(${sql}, length(${value})) = ${value}`,
  gt: (sql: string, value: string) => `${sql} collate "C" > ${value}`,
  ge: (sql: string, value: string) => `${sql} collate "C" >= ${value}`,
  lt: (sql: string, value: string) => `${sql} collate "C" < ${value}`,
  le: (sql: string, value: string) => `${sql} collate "C" <= ${value}`,
}
const timeOperators = { eq: '=', gt: '>', ge: '>=', lt: '<', le: '<=' } as const

function test(sql: string, { path, operator, value }: Compare): Sql {
  const { type, caseExact } = path.sub ?? path.attribute
  if (operator === 'ne') {
    const equal = test(sql, { kind: 'compare', path, operator: 'eq', value })
    return { text: `((${equal.text}) is not true)`, bindings: equal.bindings }
  }
  if (type === 'boolean') return { text: `coalesce(${sql}, false) = ?`, bindings: [value] }
  if (type === 'dateTime') {
    // Times are shown in milliseconds, so they are compared in milliseconds.
    const sign = timeOperators[operator as keyof typeof timeOperators]
    return { text: `date_trunc('milliseconds', ${sql}) ${sign} ?::timestamptz`, bindings: [value] }
  }
  const [left, right] = caseExact ? [sql, '?::text'] : [`lower(${sql})`, 'lower(?::text)']
  if (operator === 'eq') return { text: `${left} = ${right}`, bindings: [value] }
  const uses = operator === 'ew' ? 2 : 1
  return { text: textOperators[operator](left, right), bindings: Array(uses).fill(value) }
}

function joined(kind: 'and' | 'or', parts: readonly Sql[]): Sql {
  if (parts.length === 0) return nothing
  return {
    text: `(${parts.map(({ text }) => text).join(` ${kind} `)})`,
    bindings: parts.flatMap(({ bindings }) => bindings),
  }
}

const nameOf = ({ extension, attribute, sub }: AttributePath): string =>
  `${extension === undefined ? '' : `${extension}:`}${attribute.name}${sub ? `.${sub.name}` : ''}`
