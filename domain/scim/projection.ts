import { findAttribute, findExtension } from './attribute-path.ts'
import { refusal } from './refusals.ts'
import type { ResourceSchema } from './schemas.ts'

/** Which attributes an answer has (RFC 7644 3.9). `id` and `schemas` are in each. */
export type Projection = {
  /** Whether a top-level attribute is in the answer; others are not read. */
  wants: (name: string) => boolean
  /** Whether it was asked for by name, not by default. */
  asksFor: (name: string) => boolean
  cut: (resource: Record<string, unknown>) => Record<string, unknown>
}

type Names = { whole: Set<string>; parts: Map<string, Set<string>> }

const maxNames = 100

export function projection(
  schema: ResourceSchema,
  query: { attributes?: string | undefined; excludedAttributes?: string | undefined },
): Projection {
  const only = query.attributes?.trim() ? namesOf(schema, query.attributes) : undefined
  const without = query.excludedAttributes ? namesOf(schema, query.excludedAttributes) : undefined
  const always = (name: string) => name === 'id' || name === 'schemas'
  const asksFor = (name: string) => Boolean(only?.whole.has(name) || only?.parts.has(name))
  const wants = (name: string) =>
    always(name) || ((!only || asksFor(name)) && !without?.whole.has(name))
  return {
    wants,
    asksFor,
    cut(resource) {
      if (!only && !without) return resource
      const shown: Record<string, unknown> = {}
      for (const [name, value] of Object.entries(resource)) {
        if (!wants(name)) continue
        const kept = only?.whole.has(name) ? undefined : only?.parts.get(name)
        const left = cutParts(value, { kept, dropped: without?.parts.get(name) })
        if (left !== undefined) shown[name] = left
      }
      return shown
    },
  }
}

/** Unknown names are ignored: the answer has no such attribute either way. */
function namesOf(schema: ResourceSchema, text: string): Names {
  const list = text.split(',').map((name) => name.trim())
  if (list.length > maxNames) throw refusal('invalidValue', `At most ${maxNames} attributes.`)
  const names: Names = { whole: new Set(), parts: new Map() }
  for (const name of list) {
    const extension = findExtension(schema, name)
    if (extension !== undefined) names.whole.add(extension)
    const path = extension === undefined ? findAttribute(schema, name) : undefined
    if (!path) continue
    const { attribute, sub } = path
    if (path.extension !== undefined) addPart(names, path.extension, attribute.name)
    else if (sub) addPart(names, attribute.name, sub.name)
    else names.whole.add(attribute.name)
  }
  return names
}

function addPart({ parts }: Names, name: string, part: string): void {
  parts.set(name, (parts.get(name) ?? new Set()).add(part))
}

type Cut = { kept: Set<string> | undefined; dropped: Set<string> | undefined }

function cutParts(value: unknown, { kept, dropped }: Cut): unknown {
  if (!kept && !dropped) return value
  if (Array.isArray(value)) {
    const items = value
      .map((item) => cutParts(item, { kept, dropped }))
      .filter((item) => item !== undefined)
    return items.length > 0 ? items : undefined
  }
  if (typeof value !== 'object' || value === null) return value
  const left = Object.entries(value).filter(
    ([name]) => (!kept || kept.has(name)) && !dropped?.has(name),
  )
  return left.length > 0 ? Object.fromEntries(left) : undefined
}
