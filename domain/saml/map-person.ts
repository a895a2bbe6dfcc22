import type { Assertion, SamlAttribute } from './read-assertion.ts'
import { SamlRefusal } from './saml-refusal.ts'

export type AttributeNames = {
  attrEmail: string | null
  attrName: string | null
  attrGroups: string | null
}

export type MappedPerson = {
  /** The address, or a NameID that is none: then the user name that SCIM gave. */
  identifier: string
  isEmail: boolean
  name: string | null
  /** Undefined: the groups were too many, so the provider did not name them. */
  groups: string[] | undefined
}

const maxGroups = 5_000
const maxGroupLength = 256
const maxNameLength = 200
const emailPattern = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9-]+(?:\.[a-z0-9-]+)*$/
const maxEmailLength = 254

/** Entra ID sends this link instead of more than 150 groups. */
const groupsLink = 'http://schemas.microsoft.com/claims/groups.link'

/** The person of an assertion, by the attributes that the administrator named. */
export function mapPerson(
  { nameId, attributes }: Pick<Assertion, 'nameId' | 'attributes'>,
  { attrEmail, attrName, attrGroups }: AttributeNames,
): MappedPerson {
  const identifier = readIdentifier(
    attrEmail === null ? [nameId.value] : valuesOf(attributes, attrEmail),
  )
  const isEmail = emailPattern.test(identifier) && identifier.length <= maxEmailLength
  if (!isEmail && (attrEmail !== null || identifier.includes('@')))
    throw new SamlRefusal('email_invalid')
  const [name] = attrName === null ? [] : valuesOf(attributes, attrName)
  return {
    identifier,
    isEmail,
    name:
      name === undefined ? null : oneLine(name.normalize('NFC')).slice(0, maxNameLength) || null,
    groups: readGroups(attributes, attrGroups),
  }
}

/** Refuses several addresses: the provider's user could otherwise be two people here. */
function readIdentifier(values: string[]): string {
  // Checked before folding the case: the Kelvin sign would become the k of another person's address.
  if (values.some((value) => value.includes('@') && /[^\p{ASCII}]/u.test(value.trim())))
    throw new SamlRefusal('email_invalid')
  const different = new Set(values.map((value) => value.trim().normalize('NFC').toLowerCase()))
  const [identifier = ''] = different
  if (different.size > 1) throw new SamlRefusal('email_repeated')
  if (identifier === '') throw new SamlRefusal('email_missing')
  return identifier
}

function readGroups(attributes: SamlAttribute[], name: string | null): string[] | undefined {
  if (name === null) return []
  const values = valuesOf(attributes, name)
  if (values.length === 0 && attributes.some((attribute) => attribute.name === groupsLink))
    return undefined
  const groups = new Map<string, string>()
  for (const value of values.map((one) => one.normalize('NFC')))
    if (value.length <= maxGroupLength && !groups.has(value.toLowerCase()))
      groups.set(value.toLowerCase(), value)
  if (groups.size > maxGroups) throw new SamlRefusal('too_many_groups')
  return [...groups.values()]
}

/**
 * All values of the attribute, from all of its elements: some providers repeat the element for each
 * group, and a reader that takes the last one would lose the others.
 */
function valuesOf(attributes: SamlAttribute[], name: string): string[] {
  const named = attributes.filter((attribute) => attribute.name === name)
  const found =
    named.length > 0 ? named : attributes.filter(({ friendlyName }) => friendlyName === name)
  return found.flatMap(({ values }) => values)
}

const oneLine = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- these are what it looks for
  text.replaceAll(/[\u0000-\u001f\u007f\u2028\u2029]+/g, ' ').trim()
