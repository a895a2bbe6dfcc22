import { findExtension, findInPlace, type AttributePath } from './attribute-path.ts'
import { readValue, type Value } from './read-value.ts'
import { quoted, refusal } from './refusals.ts'
import type { ResourceSchema } from './schemas.ts'

/** A resource's writable attributes by their proper names; those of an extension under its URN. */
export type Document = { [name: string]: Value | { [name: string]: Value } | undefined }

/**
 * Reads the body of a POST or PUT. Unknown and read-only attributes are ignored (RFC 7644 3.3), because
 * identity providers send back whole resources that they were given.
 */
export function readDocument(schema: ResourceSchema, body: Record<string, unknown>): Document {
  assertSchemas(schema, body)
  const document: Document = {}
  // Values are only looked up of names that are known: a body may have 90,000 others.
  for (const name of Object.keys(body)) {
    const extension = findExtension(schema, name)
    if (extension) {
      const value = body[name]
      if (value === null) continue
      if (typeof value !== 'object' || Array.isArray(value))
        throw refusal('invalidValue', `${quoted(name)} is an object.`)
      for (const [inner, part] of Object.entries(value))
        put(document, findInPlace(schema, `${extension}:${inner}`), part)
    } else {
      const path = findInPlace(schema, name)
      if (path) put(document, path, body[name])
    }
  }
  return document
}

function put(document: Document, path: AttributePath | undefined, value: unknown): void {
  if (!path || path.sub || path.attribute.mutability === 'readOnly') return
  const read = readValue(path.attribute, value)
  if (read === undefined) return
  if (path.extension === undefined) document[path.attribute.name] = read
  else
    document[path.extension] = {
      ...extensionOf(document, path.extension),
      [path.attribute.name]: read,
    }
}

/** The part of a document that belongs to an extension. */
export const extensionOf = (document: Document, urn: string): Record<string, Value> =>
  (document[urn] ?? {}) as Record<string, Value>

function assertSchemas({ core }: ResourceSchema, { schemas }: Record<string, unknown>): void {
  // Some connectors omit it; a body with another schema is refused.
  if (schemas === undefined) return
  if (!Array.isArray(schemas) || !schemas.every((one) => typeof one === 'string'))
    throw refusal('invalidValue', 'schemas is a list of strings.')
  if (!schemas.some((one) => one.toLowerCase() === core.id.toLowerCase()))
    throw refusal('invalidValue', `schemas does not name ${core.id}.`)
}
