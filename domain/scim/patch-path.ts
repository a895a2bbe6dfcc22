import { findAttribute, findExtension, findSub, type AttributePath } from './attribute-path.ts'
import { parseFilter } from './parse-filter.ts'
import { quoted, refusal } from './refusals.ts'
import { resolveElementFilter, type Filter } from './resolve-filter.ts'
import type { Attribute, ResourceSchema } from './schemas.ts'

export type PatchPath =
  | { extension: string; attribute?: never }
  | (AttributePath & { filter?: Filter })

/** RFC 7644 3.5.2, figure 7: `attr`, `attr.sub`, `attr[filter]`, `attr[filter].sub`, each with its URN or without. */
export function patchPath(schema: ResourceSchema, text: string): PatchPath {
  if (Buffer.byteLength(text) > 1_024)
    throw refusal('invalidPath', 'A path has at most 1024 bytes.')
  const extension = findExtension(schema, text)
  if (extension !== undefined) return { extension }
  const opening = text.indexOf('[')
  const name = (opening < 0 ? text : text.slice(0, opening)).trim()
  const path = findAttribute(schema, name)
  // Whatever is asked of a read-only attribute is refused as that, also what the attribute does not have.
  const whole = path ?? findAttribute(schema, name.replace(/(?:\.[^.:]*)+$/, ''))
  if (whole) assertWritable({ attribute: whole.attribute }, text)
  if (!path) throw refusal('invalidPath', `There is no attribute ${quoted(text)} here.`)
  const { filter, sub } = opening < 0 ? {} : selection(path, text.slice(opening))
  const full = { ...path, ...(sub && { sub }), ...(filter && { filter }) }
  assertWritable(full, text)
  return full
}

function selection(path: AttributePath, text: string): { filter: Filter; sub?: Attribute } {
  const closing = text.lastIndexOf(']')
  const { attribute } = path
  if (closing < 0 || path.sub || !attribute.multiValued)
    throw refusal('invalidPath', `${quoted(attribute.name + text)} is not a path.`)
  const filter = resolveElementFilter(attribute, parseFilter(text.slice(1, closing)))
  const rest = text.slice(closing + 1)
  if (rest === '') return { filter }
  const sub = rest.startsWith('.') ? findSub(attribute, rest.slice(1)) : undefined
  if (!sub) throw refusal('invalidPath', `${attribute.name} has no ${quoted(rest)}.`)
  return { filter, sub }
}

/** Roles and groups follow from membership. Writable here, they would let a SCIM token grant itself a role. */
function assertWritable({ attribute, sub }: AttributePath, text: string): void {
  if (attribute.mutability !== 'readOnly' && sub?.mutability !== 'readOnly') return
  throw refusal('mutability', `${quoted(text)} is read-only.`)
}
