type Schema = {
  type?: string | string[]
  pattern?: string
  enum?: unknown
  const?: unknown
  format?: string
  maxLength?: number
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
}
type Operation = { requestBody?: { content?: Record<string, { schema?: Schema }> } }
type Document = { paths?: Record<string, Record<string, Operation>> }

const noNul = '^[^\\u0000]*$'

/** Longer texts (whole files) get no pattern: tools that generate test data from one would build all of it. */
const longestLine = 1_000

/**
 * Adds to the OpenAPI document that no text in a JSON body contains NUL (domain/json/parse-json.ts). Otherwise
 * the document would allow what the service refuses.
 */
export function sayNoNul<D extends object>(openapi: D): D {
  // Three versions of OpenAPI share these parts; their types do not.
  for (const path of Object.values((openapi as Document).paths ?? {}))
    for (const { requestBody } of Object.values(path)) {
      const schema = requestBody?.content?.['application/json']?.schema
      if (schema) visit(schema)
    }
  return openapi
}

function visit(schema: Schema): void {
  const { type, pattern, format, maxLength = Infinity } = schema
  const isFree =
    pattern === undefined && format === undefined && !('enum' in schema || 'const' in schema)
  if ([type].flat().includes('string') && isFree && maxLength <= longestLine) schema.pattern = noNul
  for (const part of Object.values(schema.properties ?? {})) visit(part)
  for (const part of schema.anyOf ?? []) visit(part)
  if (schema.items) visit(schema.items)
}
