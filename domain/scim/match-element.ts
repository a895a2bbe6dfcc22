import type { PatchWork } from './patch-work.ts'
import type { Element } from './read-value.ts'
import type { Filter } from './resolve-filter.ts'

/** Whether a value path's filter matches an element of a multi-valued attribute. */
export function matchElement(element: Element, filter: Filter, work: PatchWork): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.parts.every((part) => matchElement(element, part, work))
    case 'or':
      return filter.parts.some((part) => matchElement(element, part, work))
    case 'not':
      return !matchElement(element, filter.part, work)
    case 'present':
      work.countFields()
      return element[filter.path.attribute.name] !== undefined
    case 'element':
      return false
  }
  const { attribute } = filter.path
  const found = element[attribute.name] ?? (attribute.type === 'boolean' ? false : undefined)
  return compare(found, filter, work)
}

/** The `eq` conditions that must all hold, to create an element that matches. */
export function elementOf(filter: Filter): Element {
  if (filter.kind === 'and') return Object.assign({}, ...filter.parts.map(elementOf)) as Element
  if (filter.kind !== 'compare' || filter.operator !== 'eq') return {}
  return { [filter.path.attribute.name]: filter.value }
}

function compare(
  stored: string | boolean | undefined,
  { operator, value, path }: Extract<Filter, { kind: 'compare' }>,
  work: PatchWork,
): boolean {
  const folded = <T>(one: T): T | string =>
    typeof one === 'string' && !path.attribute.caseExact ? work.folded(one) : one
  const [found, wanted] = [folded(stored), folded(value)]
  if (operator === 'eq' || operator === 'ne' || typeof found !== 'string') work.countFields()
  if (operator === 'eq') return found === wanted
  if (operator === 'ne') return found !== wanted
  if (typeof found !== 'string' || typeof wanted !== 'string') return false
  work.countSearch(found, wanted)
  switch (operator) {
    case 'co':
      return found.includes(wanted)
    case 'sw':
      return found.startsWith(wanted)
    case 'ew':
      return found.endsWith(wanted)
    case 'gt':
      return found > wanted
    case 'ge':
      return found >= wanted
    case 'lt':
      return found < wanted
    default:
      return found <= wanted
  }
}
