import type { Element } from './read-value.ts'
import type { Filter } from './resolve-filter.ts'

/** Whether a value path's filter matches an element of a multi-valued attribute. */
export function matchElement(element: Element, filter: Filter): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.parts.every((part) => matchElement(element, part))
    case 'or':
      return filter.parts.some((part) => matchElement(element, part))
    case 'not':
      return !matchElement(element, filter.part)
    case 'present':
      return element[filter.path.attribute.name] !== undefined
    case 'element':
      return false
  }
  const { attribute } = filter.path
  const found = element[attribute.name] ?? (attribute.type === 'boolean' ? false : undefined)
  return compare(folded(found, attribute.caseExact), filter)
}

/** The `eq` conditions that must all hold, to create an element that matches. */
export function elementOf(filter: Filter): Element {
  if (filter.kind === 'and') return Object.assign({}, ...filter.parts.map(elementOf)) as Element
  if (filter.kind !== 'compare' || filter.operator !== 'eq') return {}
  return { [filter.path.attribute.name]: filter.value }
}

function compare(
  found: string | boolean | undefined,
  { operator, value, path }: Extract<Filter, { kind: 'compare' }>,
): boolean {
  const wanted = folded(value, path.attribute.caseExact)
  if (operator === 'eq') return found === wanted
  if (operator === 'ne') return found !== wanted
  if (typeof found !== 'string' || typeof wanted !== 'string') return false
  const tests = {
    co: found.includes(wanted),
    sw: found.startsWith(wanted),
    ew: found.endsWith(wanted),
    gt: found > wanted,
    ge: found >= wanted,
    lt: found < wanted,
    le: found <= wanted,
  }
  return tests[operator]
}

const folded = <T>(value: T, caseExact: boolean): T | string =>
  typeof value === 'string' && !caseExact ? value.toLowerCase() : value
