import { refusal, quoted } from './refusals.ts'

export type PatchOperation = { op: 'add' | 'replace' | 'remove'; path?: string; value?: unknown }
/** `operation`: which one of the request it is or comes from, from 1. */
export type PathOperation = PatchOperation & { path: string; operation: number }

const patchUrn = 'urn:ietf:params:scim:api:messages:2.0:patchop'
const maxOperations = 5_000
const kinds = ['add', 'replace', 'remove'] as const

/** RFC 7644 3.5.2, with the spellings of connectors (docs/identity.md): `Replace`, `operations`, no `schemas`. */
export function patchOperations(body: Record<string, unknown>): PatchOperation[] {
  const { schemas } = body
  if (
    schemas !== undefined &&
    !(Array.isArray(schemas) && schemas.some((one) => String(one).toLowerCase() === patchUrn))
  )
    throw refusal(
      'invalidSyntax',
      'schemas does not name urn:ietf:params:scim:api:messages:2.0:PatchOp.',
    )
  const name = Object.keys(body).find((key) => key.toLowerCase() === 'operations')
  const operations = name === undefined ? undefined : body[name]
  if (!Array.isArray(operations) || operations.length === 0)
    throw refusal('invalidSyntax', 'Operations is a list of at least one operation.')
  assertFewOperations(operations)
  return operations.map(readOperation)
}

function assertFewOperations(operations: readonly unknown[]): void {
  if (operations.length > maxOperations)
    throw refusal('invalidValue', `At most ${maxOperations} operations in one request.`)
}

type Fields = { op?: unknown; path?: unknown; value?: unknown }

function readOperation(operation: unknown): PatchOperation {
  if (typeof operation !== 'object' || operation === null || Array.isArray(operation))
    throw refusal('invalidSyntax', 'An operation is an object with op, path and value.')
  const { op: given, path, value } = fieldsOf(operation)
  const op = kinds.find((one) => typeof given === 'string' && one === given.toLowerCase())
  if (!op)
    throw refusal(
      'invalidSyntax',
      `op is add, replace or remove, not ${quoted(JSON.stringify(given) ?? 'missing')}.`,
    )
  if (path !== undefined && path !== null && typeof path !== 'string')
    throw refusal('invalidPath', 'path is a string.')
  const target = path?.trim() ?? ''
  if (target !== '') {
    if (op !== 'remove' && value === undefined)
      throw refusal('invalidValue', `${op} of ${quoted(target)} needs a value.`)
    return { op, path: target, ...(value !== undefined && { value }) }
  }
  if (op === 'remove') throw refusal('noTarget', 'remove needs a path.')
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw refusal('invalidValue', `${op} without a path needs an object as value.`)
  return { op, value }
}

/** In whatever case their names are. Of two that differ in case alone the last one counts. */
function fieldsOf(operation: object): Fields {
  const fields: Fields = {}
  // Only a key of a known length is converted to lower case: an operation may have 90,000 others.
  for (const key of Object.keys(operation))
    if (key.length <= 'value'.length) {
      const name = key.toLowerCase()
      // It is one of the object's own keys.
      if (name === 'op' || name === 'path' || name === 'value')
        fields[name] = (operation as Record<string, unknown>)[key]
    }
  return fields
}

/**
 * An operation without a path is one for each attribute of its value (RFC 7644 3.5.2.1, 3.5.2.3), and counts as so
 * many: a megabyte of spellings of one name would stand for 50,000.
 */
export function withPaths(operations: readonly PatchOperation[], id: string): PathOperation[] {
  const steps = operations.flatMap((one, at): PathOperation[] => {
    const { op, path, value } = one
    const operation = at + 1
    if (path !== undefined) return [{ ...one, path, operation }]
    // Without a path it was read as an object.
    return Object.entries(value as Record<string, unknown>).flatMap(([name, part]) => {
      const lower = name.toLowerCase()
      // Okta repeats the resource's id inside; another id would be a change of it.
      if (lower === 'schemas' || (lower === 'id' && part === id)) return []
      return [{ op, path: name, value: part, operation }]
    })
  })
  assertFewOperations(steps)
  return steps
}
