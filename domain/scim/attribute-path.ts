import type { Attribute, ResourceSchema } from './schemas.ts'

/** Where a value is: in the resource itself, or under an extension's URN. */
export type AttributePath = {
  extension?: string
  attribute: Attribute
  sub?: Attribute
}

/**
 * Looks up an attribute's name ignoring case (RFC 7643 2.1), with or without its schema's URN. Returns our
 * own definition, so a caller's text goes no further. A bare name that the resource itself does not have is that
 * of an extension, if only one has it: Entra ID's documented requests say `manager`.
 */
export function findAttribute(schema: ResourceSchema, name: string): AttributePath | undefined {
  const inPlace = findInPlace(schema, name)
  if (inPlace) return inPlace
  const found = schema.extensions.flatMap(({ id, attributes }) => {
    const path = find(attributes, name)
    return path ? [{ extension: id, ...path }] : []
  })
  return found.length === 1 ? found[0] : undefined
}

/** As the keys of a resource are: an attribute of an extension is under its URN, or is named with it. */
export function findInPlace(schema: ResourceSchema, name: string): AttributePath | undefined {
  const { core, common, extensions } = schema
  const ofCore = withoutUrn(name, core.id)
  if (ofCore !== undefined) return find(core.attributes, ofCore) ?? find(common, ofCore)
  for (const { id, attributes } of extensions) {
    const rest = withoutUrn(name, id)
    if (rest === undefined) continue
    const found = find(attributes, rest)
    return found && { extension: id, ...found }
  }
  return find(core.attributes, name) ?? find(common, name)
}

/** The extension whose URN this is, without any attribute. */
export const findExtension = ({ extensions }: ResourceSchema, name: string): string | undefined =>
  extensions.find(({ id }) => same(id, name))?.id

export const findSub = ({ subAttributes }: Attribute, name: string): Attribute | undefined =>
  subAttributes && named(subAttributes, name)

function find(attributes: readonly Attribute[], name: string): AttributePath | undefined {
  const dot = name.indexOf('.')
  const attribute = named(attributes, dot < 0 ? name : name.slice(0, dot))
  if (!attribute) return undefined
  if (dot < 0) return { attribute }
  const sub = findSub(attribute, name.slice(dot + 1))
  return sub && { attribute, sub }
}

type Names = { byName: Map<string, Attribute>; longest: number }

/** By the list of attributes. A body may have 200,000 keys, each of which is looked up in a schema's 25 attributes. */
const namesOf = new WeakMap<readonly Attribute[], Names>()

function named(attributes: readonly Attribute[], name: string): Attribute | undefined {
  let names = namesOf.get(attributes)
  if (!names) {
    const byName = new Map(attributes.map((one) => [one.name.toLowerCase(), one]))
    names = { byName, longest: Math.max(0, ...Array.from(byName.keys(), ({ length }) => length)) }
    namesOf.set(attributes, names)
  }
  // A key of a megabyte is no name, and takes milliseconds to convert to lower case.
  return name.length > names.longest ? undefined : names.byName.get(name.toLowerCase())
}

function withoutUrn(name: string, urn: string): string | undefined {
  const { length } = urn
  // Most names have no colon there, and need no copy.
  if (name[length] !== ':' || !same(name.slice(0, length), urn)) return undefined
  return name.slice(length + 1)
}

/** Of a text and an ASCII one, so equal ones have the same length. */
const same = (a: string, b: string): boolean =>
  a.length === b.length && a.toLowerCase() === b.toLowerCase()
