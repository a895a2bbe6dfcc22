import { describe, expect, test } from 'vitest'
import { applyPatch } from './apply-patch.ts'
import { changesOfNew, changesOfPatch } from './group-changes.ts'
import { patchOperations } from './patch-operations.ts'
import { readDocument, type Document } from './read-document.ts'
import { groupSchema, userSchema, type Attribute, type ResourceSchema } from './schemas.ts'

const id = '2819c223-7f76-453a-919d-413861904646'
const ada: Document = {
  userName: 'ada',
  active: true,
  emails: [{ value: 'a@b.test', type: 'work' }],
}
const group = { displayName: 'g', externalId: null }

/** Every attribute that a client may write, with its path: all schemas are asked, so a new one is tested too. */
function writable({ core, common, extensions }: ResourceSchema) {
  const named = (urn: string, attributes: Attribute[]) =>
    attributes
      .filter(({ mutability }) => mutability !== 'readOnly')
      .map((attribute) => ({ attribute, urn, path: `${urn}${attribute.name}` }))
  return [
    ...named('', [...core.attributes, ...common]),
    ...extensions.flatMap((one) => named(`${one.id}:`, one.attributes)),
  ]
}

/** JSON of another type than the attribute's (RFC 7643 2.3). A boolean as text is one that everybody sends. */
function wrongFor({ type, multiValued, subAttributes = [] }: Attribute): unknown[] {
  if (multiValued)
    return [5, true, 'x', ['x'], [5], [[]], [null], ...inside(subAttributes).map((one) => [one])]
  if (type === 'complex') return [5, true, ['x'], [5], ...inside(subAttributes)]
  if (type === 'boolean') return [0, 1, 5, '', 'yes', {}, { value: true }, [], [true], ['true']]
  return [5, 0, true, false, {}, { value: 'x' }, [], ['x'], [5]]
}

const inside = (subs: Attribute[]) =>
  subs
    .filter(({ mutability }) => mutability !== 'readOnly')
    .flatMap((sub) => wrongFor(sub).map((value) => ({ value: 'x', [sub.name]: value })))

const invalidValue = expect.objectContaining({ fault: 'invalid', scimType: 'invalidValue' })
const nested = (urn: string, name: string, value: unknown) =>
  urn === '' ? { [name]: value } : { [urn.slice(0, -1)]: { [name]: value } }

describe.each([
  ['User', userSchema, { userName: 'ada' }],
  ['Group', groupSchema, { displayName: 'g' }],
] as const)('400 invalidValue: another type, in a %s', (kind, schema, body) => {
  const isUser = kind === 'User'
  const make = (given: object) => {
    const document = readDocument(schema, { ...body, ...given })
    return isUser ? document : changesOfNew(document)
  }
  const patch = (operation: object) => {
    const operations = patchOperations({ Operations: [operation] })
    return isUser
      ? applyPatch(schema, ada, { operations, id })
      : changesOfPatch(group, operations, id)
  }

  describe.each(writable(schema).map((one) => [one.path, one] as const))(
    '%s',
    (path, { attribute, urn }) => {
      // A manager is kept by their id, and Entra ID sends it alone.
      const isAllowed = (value: unknown) => attribute.name === 'manager' && value === 'x'
      const wrong = wrongFor(attribute).filter((value) => !isAllowed(value))

      test.each(wrong.map((value) => [JSON.stringify(value), value]))(
        'POST, PUT: %s',
        (_, value) => {
          expect(() => make(nested(urn, attribute.name, value))).toThrow(invalidValue)
        },
      )

      // Forms of identity providers that only a PATCH has.
      const inPatch = wrong.filter(
        (value) =>
          !(attribute.name === 'members' && value === 'x') && JSON.stringify(value) !== '[{}]',
      )
      test.each(inPatch.map((value) => [JSON.stringify(value), value]))('PATCH: %s', (_, value) => {
        for (const op of ['add', 'replace']) {
          expect(() => patch({ op, path, value })).toThrow(invalidValue)
          expect(() => patch({ op, value: { [path]: value } })).toThrow(invalidValue)
        }
      })
    },
  )
})

describe('400 invalidValue: parts', () => {
  test.each<[string, unknown]>([
    ['name.givenName', 5],
    ['emails[type eq "work"].value', 5],
    ['emails[type eq "work"].value', ['x']],
    ['emails[type eq "work"].primary', 1],
    ['emails[type eq "work"]', 'x@y.test'],
    ['emails[type eq "work"]', { value: 5 }],
    ['emails.value', { value: 'x' }],
  ])('PATCH %s: %j', (path, value) => {
    for (const op of ['add', 'replace']) {
      const operations = patchOperations({ Operations: [{ op, path, value }] })
      expect(() => applyPatch(userSchema, ada, { operations, id })).toThrow(invalidValue)
    }
  })

  test.each([[[{}]], [[{ value: null }]], [[{ value: '' }]], [[{ display: 'x' }]], ['']])(
    'a member without an id: %j',
    (members) => {
      expect(() => changesOfNew(readDocument(groupSchema, { displayName: 'g', members }))).toThrow(
        invalidValue,
      )
      for (const op of ['add', 'replace', 'remove'])
        for (const one of [{ op, path: 'members', value: members }])
          expect(() => changesOfPatch(group, patchOperations({ Operations: [one] }), id)).toThrow(
            invalidValue,
          )
    },
  )

  test.each([['urn'], [{}], [[5]], [[userSchema.core.id, 5]]])('schemas: %j', (schemas) => {
    expect(() => readDocument(userSchema, { userName: 'a', schemas })).toThrow(invalidValue)
  })
})

describe('taken', () => {
  test('booleans as text, null, empty texts and lists, a manager by their id', () => {
    const body = {
      userName: 'ada',
      active: 'False',
      displayName: '',
      title: null,
      name: null,
      phoneNumbers: [],
      emails: [{ value: 'a@b.test', primary: 'True', type: null, display: '' }, {}],
      'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { manager: 'm1' },
      // Read-only and unknown ones are passed over, whatever they are.
      id: 5,
      groups: 'x',
      nosuch: { a: 1 },
    }
    expect(readDocument(userSchema, body)).toEqual({
      userName: 'ada',
      active: false,
      emails: [{ value: 'a@b.test', primary: true }],
      'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { manager: { value: 'm1' } },
    })
  })
})
