import { describe, expect, test } from 'vitest'
import { mapPerson } from './map-person.ts'
import type { SamlAttribute } from './read-assertion.ts'
import { SamlRefusal } from './saml-refusal.ts'

const names = { attrEmail: 'email', attrName: 'name', attrGroups: 'groups' }
const nameIdOf = (value: string) => ({
  value,
  format: null,
  nameQualifier: null,
  spNameQualifier: null,
})
const attribute = (name: string, ...values: string[]): SamlAttribute => ({
  name,
  friendlyName: undefined,
  values,
})
const byAttribute = (...attributes: SamlAttribute[]) =>
  mapPerson({ nameId: nameIdOf('n'), attributes }, names)
const byNameId = (value: string) =>
  mapPerson({ nameId: nameIdOf(value), attributes: [] }, { ...names, attrEmail: null })

const reasonOf = (work: () => unknown): string => {
  try {
    work()
  } catch (error) {
    if (error instanceof SamlRefusal) return error.reason
    throw error
  }
  return 'taken'
}

describe('whose address it is', () => {
  test('small letters, without the blanks around it', () => {
    expect(byAttribute(attribute('email', ' Ada@Acme.test '))).toMatchObject({
      identifier: 'ada@acme.test',
      isEmail: true,
    })
    expect(byNameId('Ada@Acme.test').identifier).toBe('ada@acme.test')
  })

  test.each([
    ['the Kelvin sign, whose small letter is k', 'mi\u212ae@acme.test'],
    ['the same in the domain', 'mike@\u212aacme.test'],
    ['a capital I with a dot', 'm\u0130ke@acme.test'],
    ['wide letters', '\uff4dike@acme.test'],
    ['a letter and its accent', 'mike\u0301@acme.test'],
    ['an invisible letter', 'mi\u200bke@acme.test'],
    ['two signs', 'mike@acme.test@evil.test'],
    ['a name', 'Mike <mike@acme.test>'],
  ])('email_invalid: %s', (_, value) => {
    expect(reasonOf(() => byAttribute(attribute('email', value)))).toBe('email_invalid')
    expect(reasonOf(() => byNameId(value))).toBe('email_invalid')
  })

  test('a NameID that is no address is a user name, in one spelling', () => {
    expect(byNameId('Zoe\u0308')).toMatchObject({ identifier: 'zo\u00eb', isEmail: false })
  })
})

test('groups and names have one spelling, however they were written', () => {
  const person = byAttribute(
    attribute('email', 'a@acme.test'),
    attribute('name', 'Zoe\u0308'),
    attribute('groups', 'Cafe\u0301'),
    attribute('groups', 'caf\u00e9', 'Ops'),
  )
  expect(person).toMatchObject({ name: 'Zo\u00eb', groups: ['Caf\u00e9', 'Ops'] })
})
