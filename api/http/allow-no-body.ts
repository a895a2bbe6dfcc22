type Body = { required?: boolean; content?: Record<string, { schema?: { required?: unknown[] } }> }
type Document = { paths?: Record<string, Record<string, { requestBody?: Body }>> }

/** Marks a body without required fields as optional in the OpenAPI document: an absent body counts as `{}`. */
export function allowNoBody<D extends object>(openapi: D): D {
  // Three versions of OpenAPI share these parts; their types do not.
  for (const path of Object.values((openapi as Document).paths ?? {}))
    for (const { requestBody } of Object.values(path)) {
      const schemas = Object.values(requestBody?.content ?? {}).map(({ schema }) => schema)
      if (requestBody && schemas.every((schema) => (schema?.required ?? []).length === 0))
        requestBody.required = false
    }
  return openapi
}
