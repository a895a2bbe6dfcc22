import { describe, expect, test } from 'vitest'
import { applyPatch } from './apply-patch.ts'
import { patchOperations } from './patch-operations.ts'
import type { Document } from './read-document.ts'
import { enterpriseUrn, userSchema, userUrn } from './schemas.ts'

const id = '2819c223-7f76-453a-919d-413861904646'
const work = { value: 'ada@acme.test', type: 'work', primary: true }
const home = { value: 'ada@home.test', type: 'home' }
const ada: Document = {
  userName: 'ada@acme.test',
  name: { givenName: 'Ada', familyName: 'Lovelace' },
  displayName: 'Ada',
  active: true,
  emails: [work, home],
  [enterpriseUrn]: { department: 'Engines', manager: { value: 'm1' } },
}
const patch = (body: object, before: Document = ada) =>
  applyPatch(userSchema, before, { operations: patchOperations({ ...body }), id })
const operation = (one: object, before?: Document) => patch({ Operations: [one] }, before)
const enterprise = (part: object) => ({
  [enterpriseUrn]: { ...(ada[enterpriseUrn] as object), ...part },
})

describe('what identity providers send', () => {
  test.each<[string, object, object]>([
    // Entra ID without the flag: capitals, strings for booleans, dotted keys.
    [
      'Entra ID: Replace active "False"',
      { op: 'Replace', path: 'active', value: 'False' },
      { active: false },
    ],
    ['Entra ID: Add active "True"', { op: 'Add', path: 'active', value: 'True' }, { active: true }],
    [
      'Entra ID: dotted keys',
      { op: 'Replace', value: { 'name.givenName': 'A', 'name.familyName': 'L' } },
      { name: { givenName: 'A', familyName: 'L' } },
    ],
    [
      'Entra ID: one value wrapped',
      { op: 'Add', path: 'displayName', value: [{ value: 'A' }] },
      { displayName: 'A' },
    ],
    [
      'Entra ID: a chosen e-mail',
      { op: 'Replace', path: 'emails[type eq "work"].value', value: 'new@acme.test' },
      { emails: [{ ...work, value: 'new@acme.test' }, home] },
    ],
    [
      'Entra ID: a chosen one that is not there',
      { op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '+49' },
      { phoneNumbers: [{ type: 'mobile', value: '+49' }] },
    ],
    [
      'Entra ID: primary chosen by a string',
      { op: 'Replace', path: 'emails[primary eq "True"].value', value: 'p@acme.test' },
      { emails: [{ ...work, value: 'p@acme.test' }, home] },
    ],
    [
      'Entra ID: a manager as a string',
      { op: 'Add', path: `${enterpriseUrn}:manager`, value: 'm2' },
      enterprise({ manager: { value: 'm2' } }),
    ],
    [
      'Entra ID: a manager wrapped',
      { op: 'Add', path: `${enterpriseUrn}:manager`, value: [{ $ref: 'x', value: 'm2' }] },
      enterprise({ manager: { value: 'm2', $ref: 'x' } }),
    ],
    [
      'Entra ID: a department',
      { op: 'Add', path: `${enterpriseUrn}:department`, value: 'R' },
      enterprise({ department: 'R' }),
    ],
    [
      'Entra ID: dotted keys of an extension',
      { op: 'add', value: { [`${enterpriseUrn}:department`]: 'R' } },
      enterprise({ department: 'R' }),
    ],
    [
      'Entra ID, aadOptscim062020: booleans, lower case',
      { op: 'replace', path: 'active', value: false },
      { active: false },
    ],
    [
      'Entra ID, aadOptscim062020: nested',
      { op: 'replace', value: { name: { givenName: 'A' }, active: false } },
      { name: { givenName: 'A', familyName: 'Lovelace' }, active: false },
    ],
    ['Okta: without a path', { op: 'replace', value: { active: false } }, { active: false }],
    [
      'Okta: with its own id in it',
      { op: 'replace', value: { id, active: false } },
      { active: false },
    ],
    ['Google Workspace', { op: 'replace', path: 'active', value: false }, { active: false }],
    [
      'OneLogin: userName with its URN',
      { op: 'replace', path: `${userUrn}:userName`, value: 'b' },
      { userName: 'b' },
    ],
    [
      'JumpCloud: whole e-mails',
      { op: 'replace', path: 'emails', value: [home] },
      { emails: [home] },
    ],
    [
      'Ping: names in any case',
      { op: 'REPLACE', path: 'DISPLAYNAME', value: 'B' },
      { displayName: 'B' },
    ],
    [
      'authentik: the extension as an object',
      { op: 'add', value: { [enterpriseUrn]: { schemas: [enterpriseUrn], division: 'D' } } },
      enterprise({ division: 'D' }),
    ],
    [
      'null unassigns',
      { op: 'replace', path: 'displayName', value: null },
      { displayName: undefined },
    ],
    [
      'null within unassigns',
      { op: 'replace', value: { name: { givenName: null } } },
      { name: { familyName: 'Lovelace' } },
    ],
    [
      'an empty string unassigns',
      { op: 'replace', path: 'displayName', value: '' },
      { displayName: undefined },
    ],
    ['remove', { op: 'Remove', path: 'displayName' }, { displayName: undefined }],
    [
      'remove a part',
      { op: 'remove', path: 'name.givenName' },
      { name: { familyName: 'Lovelace' } },
    ],
    ['remove a chosen one', { op: 'remove', path: 'emails[type eq "home"]' }, { emails: [work] }],
    [
      'remove by value',
      { op: 'remove', path: 'emails', value: [{ value: 'ADA@home.test' }] },
      { emails: [work] },
    ],
    ['remove all', { op: 'remove', path: 'emails' }, { emails: undefined }],
    [
      'remove a chosen value: nothing is left of it',
      { op: 'remove', path: 'emails[type eq "home"].value' },
      { emails: [work] },
    ],
    ['remove what is not there', { op: 'remove', path: 'phoneNumbers[type eq "fax"]' }, {}],
    ['remove an extension', { op: 'remove', path: enterpriseUrn }, { [enterpriseUrn]: undefined }],
    [
      'add one that is there',
      { op: 'add', path: 'emails', value: [{ value: 'ADA@acme.test', type: 'work' }] },
      { emails: [{ ...work, value: 'ADA@acme.test' }, home] },
    ],
    [
      'add a new primary one: the old is none',
      {
        op: 'add',
        path: 'emails',
        value: [{ value: 'c@acme.test', type: 'other', primary: true }],
      },
      {
        emails: [
          { ...work, primary: false },
          home,
          { value: 'c@acme.test', type: 'other', primary: true },
        ],
      },
    ],
    [
      'one e-mail without its list',
      { op: 'add', path: 'emails', value: { value: 'c@acme.test', type: 'other' } },
      { emails: [work, home, { value: 'c@acme.test', type: 'other' }] },
    ],
    [
      'a chosen e-mail, whole and wrapped',
      { op: 'replace', path: 'emails[type eq "home"]', value: [{ value: 'h@acme.test' }] },
      { emails: [work, { value: 'h@acme.test', type: 'home' }] },
    ],
    [
      'schemas within are passed over',
      { op: 'add', value: { schemas: [userUrn], title: 'T' } },
      { title: 'T' },
    ],
  ])('%s', (_, one, expected) => {
    const after = operation(one)
    const wanted: Record<string, unknown> = { ...ada, ...expected }
    for (const [name, value] of Object.entries(wanted)) if (value === undefined) delete wanted[name]
    expect(after).toEqual(wanted)
  })

  test('`operations`, several of them, one after the other', () => {
    const after = patch({
      operations: [
        { op: 'Add', path: 'displayName', value: 'one' },
        { op: 'Replace', path: 'displayName', value: 'two' },
        { op: 'Remove', path: 'emails[type eq "work"]' },
      ],
    })
    expect(after).toMatchObject({ displayName: 'two', emails: [home] })
  })

  test('what was given stays as it was, whatever becomes of the patch', () => {
    const before = structuredClone(ada)
    expect(() =>
      patch({
        Operations: [
          { op: 'replace', path: 'emails[type eq "work"].value', value: 'x@y' },
          { op: 'add', path: 'nosuch', value: 1 },
        ],
      }),
    ).toThrow('nosuch')
    expect(ada).toEqual(before)
  })
})

describe('refused', () => {
  test.each<[string, object, string]>([
    [
      'roles, as Entra ID writes them',
      { op: 'Add', path: 'roles[primary eq "True"].value', value: 'Owner' },
      'mutability',
    ],
    ['roles', { op: 'add', path: 'roles', value: [{ value: 'Owner' }] }, 'mutability'],
    ['roles without a path', { op: 'add', value: { roles: [{ value: 'Owner' }] } }, 'mutability'],
    [
      'roles by URN',
      { op: 'add', path: `${userUrn}:ROLES`, value: [{ value: 'Owner' }] },
      'mutability',
    ],
    ['roles.value', { op: 'replace', path: 'roles.value', value: 'Owner' }, 'mutability'],
    ['groups', { op: 'remove', path: 'groups' }, 'mutability'],
    ['another id', { op: 'replace', value: { id: 'x' } }, 'mutability'],
    ['id by path', { op: 'replace', path: 'id', value: id }, 'mutability'],
    ['meta', { op: 'replace', path: 'meta.created', value: 'x' }, 'mutability'],
    [
      'a manager’s name',
      { op: 'add', path: `${enterpriseUrn}:manager.displayName`, value: 'x' },
      'mutability',
    ],
    ['taking userName away', { op: 'remove', path: 'userName' }, 'mutability'],
    ['taking active away', { op: 'remove', path: 'active' }, 'mutability'],
    ['userName null', { op: 'replace', path: 'userName', value: null }, 'invalidValue'],
    ['an unknown attribute', { op: 'add', path: 'nosuch', value: 1 }, 'invalidPath'],
    ['an unknown one in an object', { op: 'add', value: { nosuch: 1 } }, 'invalidPath'],
    ['a prototype', { op: 'add', path: '__proto__', value: {} }, 'invalidPath'],
    ['a path that is none', { op: 'add', path: 'emails[type eq', value: 1 }, 'invalidPath'],
    ['a filter that is none', { op: 'add', path: 'emails[type].value', value: 1 }, 'invalidFilter'],
    [
      'a part that is not there',
      { op: 'add', path: 'emails[type eq "w"].nosuch', value: 1 },
      'invalidPath',
    ],
    ['remove of nothing', { op: 'remove' }, 'noTarget'],
    ['another op', { op: 'move', path: 'title', value: 'x' }, 'invalidSyntax'],
    ['no value', { op: 'add', path: 'title' }, 'invalidValue'],
    ['no path and no object', { op: 'add', value: 'x' }, 'invalidValue'],
    ['a boolean that is none', { op: 'replace', path: 'active', value: 'maybe' }, 'invalidValue'],
    ['an object for a string', { op: 'replace', path: 'title', value: { a: 1 } }, 'invalidValue'],
    ['a line break', { op: 'replace', path: 'displayName', value: 'a\nb' }, 'invalidValue'],
    ['too long', { op: 'replace', path: 'title', value: 'x'.repeat(1_001) }, 'invalidValue'],
  ])('400 %s', (_, one, scimType) => {
    expect(() => operation(one)).toThrow(expect.objectContaining({ scimType }))
  })

  test.each([
    ['by path', { op: 'replace', path: 'Password', value: 'x' }],
    ['by its URN', { op: 'add', path: `${userUrn}:password`, value: 'x' }],
    ['in an object', { op: 'replace', value: { password: 'x' } }],
  ])('a password is passed over: %s', (_, one) => {
    const title = { op: 'add', path: 'title', value: 'T' }
    expect(patch({ Operations: [one, title] })).toEqual(operation(title))
  })

  test.each<[string, object]>([
    ['no operations', {}],
    ['an empty list', { Operations: [] }],
    ['no list', { Operations: {} }],
    ['no object', { Operations: ['x'] }],
    ['another message', { schemas: [userUrn], Operations: [{ op: 'remove', path: 'title' }] }],
  ])('400 invalidSyntax: %s', (_, body) => {
    expect(() => patch(body)).toThrow(expect.objectContaining({ scimType: 'invalidSyntax' }))
  })
})
