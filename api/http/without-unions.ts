type Schema = Record<string, unknown>

/**
 * The schema of an answer with one shape in the place of each `anyOf` where one can stand for all. The
 * serializer validates a value of `anyOf` to find out which shape it has, and compiles the schema of the
 * whole answer for that: 60 to 140 ms of the first request after a start.
 */
export function withoutUnions(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutUnions)
  if (!isSchema(schema)) return schema
  const inner = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, withoutUnions(value)]),
  )
  const { anyOf, ...rest } = inner
  if (!Array.isArray(anyOf) || anyOf.length === 0) return inner
  const shapes = anyOf as Schema[]
  // A text, number or null is written as it is, whatever shape says so.
  if (shapes.every(isScalar)) return withoutKeywords(rest)
  const merged = shapes.every(isPlainObject)
    ? shapes.reduce<Schema | undefined>(mergeObjects, shapes[0])
    : undefined
  return merged ? { ...rest, ...merged } : inner
}

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null

const scalarTypes = new Set(['string', 'number', 'integer', 'boolean', 'null'])

/** Also a schema that says nothing, which is written as it is. */
const isScalar = (shape: Schema): boolean =>
  Object.keys(shape).length === 0 ||
  (typeof shape['type'] === 'string' && scalarTypes.has(shape['type']) && !('format' in shape))

const withoutKeywords = ({ description }: Schema): Schema =>
  description === undefined ? {} : { description }

const keysOfPlainObject = new Set(['type', 'required', 'properties', 'description'])

const isPlainObject = (shape: Schema): boolean =>
  shape['type'] === 'object' &&
  isSchema(shape['properties']) &&
  Object.keys(shape).every((key) => keysOfPlainObject.has(key))

/** An object that has the fields of both; undefined if both have a field of different schemas. */
function mergeObjects(one: Schema | undefined, other: Schema): Schema | undefined {
  if (!one) return undefined
  const properties = { ...(one['properties'] as Schema) }
  for (const [name, field] of Object.entries(other['properties'] as Schema)) {
    const merged = name in properties ? mergeFields(properties[name], field) : field
    if (merged === undefined) return undefined
    properties[name] = merged
  }
  const required = listOf(other).filter((name) => listOf(one).includes(name))
  return { type: 'object', properties, required }
}

const listOf = (shape: Schema): unknown[] => (shape['required'] as unknown[] | undefined) ?? []

function mergeFields(one: unknown, other: unknown): unknown {
  if (JSON.stringify(one) === JSON.stringify(other)) return one
  const isText = [one, other].every((field) => isSchema(field) && field['type'] === 'string')
  return isText ? { type: 'string' } : undefined
}
