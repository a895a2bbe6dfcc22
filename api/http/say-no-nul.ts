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

/** A generator makes a text of a pattern by its length: whole files are left as they are. */
const longestLine = 1_000

/**
 * Says in the document what holds of every JSON body before its own schema is asked: a text
 * has no NUL (parse-json.ts). Without it the document promised to take what is refused.
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
