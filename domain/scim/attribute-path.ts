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
  if (ofCore !== undefined) return find([...core.attributes, ...common], ofCore)
  for (const { id, attributes } of extensions) {
    const rest = withoutUrn(name, id)
    if (rest === undefined) continue
    const found = find(attributes, rest)
    return found && { extension: id, ...found }
  }
  return find([...core.attributes, ...common], name)
}

/** The extension whose URN this is, without any attribute. */
export const findExtension = ({ extensions }: ResourceSchema, name: string): string | undefined =>
  extensions.find(({ id }) => same(id, name))?.id

export const findSub = ({ subAttributes = [] }: Attribute, name: string): Attribute | undefined =>
  subAttributes.find((sub) => same(sub.name, name))

function find(attributes: readonly Attribute[], name: string): AttributePath | undefined {
  const [first = '', second, ...rest] = name.split('.')
  const attribute = attributes.find((one) => same(one.name, first))
  if (!attribute || rest.length > 0) return undefined
  if (second === undefined) return { attribute }
  const sub = findSub(attribute, second)
  return sub && { attribute, sub }
}

function withoutUrn(name: string, urn: string): string | undefined {
  const prefix = `${urn}:`
  return same(name.slice(0, prefix.length), prefix) ? name.slice(prefix.length) : undefined
}

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()
