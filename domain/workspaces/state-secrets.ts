import type { StateDocument } from './state-document.ts'

/**
 * The texts and numbers that the state marks as sensitive, in outputs and attributes. The marks do not
 * follow a value into an output that its author made `nonsensitive`, or that a provider computed from it.
 */
export function stateSecrets(state: StateDocument): string[] {
  const found = new Set<string>()
  for (const output of Object.values(state.outputs)) {
    const { sensitive, value } = fieldsOf(output)
    if (sensitive !== undefined && sensitive !== false) collect(value, found)
  }
  for (const resource of state.resources) {
    const { instances } = fieldsOf(resource)
    for (const instance of Array.isArray(instances) ? instances : []) {
      const { attributes, sensitive_attributes: marks } = fieldsOf(instance)
      for (const path of Array.isArray(marks) ? marks : []) collect(at(attributes, path), found)
      if (found.size >= maxSecrets) return [...found]
    }
  }
  return [...found]
}

/** More would make reads slow, and match everywhere. */
const maxSecrets = 1_000
const maxVisited = 10_000
/** Shorter values ("eu", "1") appear in many outputs by chance. */
const shortest = 8

/** A path is a list of steps, `{ type: get_attr | index, value }`; the key of an index has a type of its own. */
function at(attributes: unknown, path: unknown): unknown {
  let value = attributes
  for (const step of Array.isArray(path) ? path : []) {
    const { value: key } = fieldsOf(step)
    const name = typeof key === 'object' ? fieldsOf(key)['value'] : key
    if (typeof name !== 'string' && typeof name !== 'number') return undefined
    value = Object.hasOwn(Object(value), name) ? Object(value)[name] : undefined
  }
  return value
}

/** Iterative, because a state can be nested without limit. */
function collect(marked: unknown, found: Set<string>): void {
  const open = [marked]
  for (let visited = 0; open.length > 0 && visited < maxVisited; visited += 1) {
    const value = open.pop()
    if (found.size >= maxSecrets) return
    const text = typeof value === 'number' ? String(value) : value
    if (typeof text === 'string' && text.length >= shortest) found.add(text)
    else if (typeof value === 'object' && value !== null)
      for (const item of Object.values(value).slice(0, maxVisited)) open.push(item)
  }
}

const fieldsOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? { ...value } : {}
