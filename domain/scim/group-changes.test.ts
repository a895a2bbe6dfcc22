import { describe, expect, test } from 'vitest'
import { changesOfPatch } from './group-changes.ts'
import { patchOperations } from './patch-operations.ts'

const id = '2819c223-7f76-453a-919d-413861904646'
const before = { displayName: 'Ops', externalId: null }
const changes = (...operations: object[]) => {
  const { fields, members } = changesOfPatch(
    before,
    patchOperations({ Operations: operations }),
    id,
  )
  const { replaced, add, remove } = members
  return { ...fields, replaced, add: [...add.keys()], remove: [...remove] }
}
const none = { ...before, replaced: false, add: [], remove: [] }

describe('what identity providers send for a group', () => {
  test.each<[string, object[], object]>([
    [
      'Entra ID: Add',
      [{ op: 'Add', path: 'members', value: [{ $ref: null, value: 'A' }] }],
      { add: ['a'] },
    ],
    [
      'Entra ID: Remove with a value does not empty the group',
      [{ op: 'Remove', path: 'members', value: [{ $ref: null, value: 'A' }] }],
      { remove: ['a'] },
    ],
    [
      'Entra ID: Remove with an empty list removes nobody',
      [{ op: 'Remove', path: 'members', value: [] }],
      {},
    ],
    [
      'Entra ID, aadOptscim062020: remove by a filter',
      [{ op: 'remove', path: 'members[value eq "A"]' }],
      { remove: ['a'] },
    ],
    [
      'several by a filter',
      [{ op: 'remove', path: 'members[value eq "a" or value eq "b"]' }],
      { remove: ['a', 'b'] },
    ],
    [
      'Okta: name with id, no path',
      [{ op: 'replace', value: { id, displayName: 'New' } }],
      { displayName: 'New' },
    ],
    [
      'Okta: replace by nobody',
      [{ op: 'replace', path: 'members', value: [] }],
      { replaced: true },
    ],
    [
      'Okta: replace by these',
      [{ op: 'replace', path: 'members', value: [{ value: 'a', display: 'A' }] }],
      { replaced: true, add: ['a'] },
    ],
    [
      'OneLogin: add',
      [{ op: 'add', path: 'members', value: [{ value: 'a' }, { value: 'b' }] }],
      { add: ['a', 'b'] },
    ],
    [
      'JumpCloud: members in an object',
      [{ op: 'add', value: { members: [{ value: 'a' }] } }],
      { add: ['a'] },
    ],
    ['Ping: one as a string', [{ op: 'add', path: 'members', value: 'a' }], { add: ['a'] }],
    [
      'authentik: one as an object',
      [{ op: 'add', path: 'members', value: { value: 'a' } }],
      { add: ['a'] },
    ],
    ['remove without a value empties', [{ op: 'remove', path: 'members' }], { replaced: true }],
    [
      'the later counts',
      [
        { op: 'add', path: 'members', value: 'a' },
        { op: 'remove', path: 'members[value eq "a"]' },
      ],
      { remove: ['a'] },
    ],
    [
      'emptied, then filled',
      [
        { op: 'add', path: 'members', value: 'b' },
        { op: 'remove', path: 'members' },
        { op: 'add', path: 'members', value: 'a' },
      ],
      { replaced: true, add: ['a'] },
    ],
    ['externalId', [{ op: 'add', path: 'externalId', value: 'e' }], { externalId: 'e' }],
  ])('%s', (_, operations, expected) => {
    expect(changes(...operations)).toEqual({ ...none, ...expected })
  })

  test.each<[string, object, string]>([
    ['the name taken away', { op: 'remove', path: 'displayName' }, 'mutability'],
    ['an empty name', { op: 'replace', path: 'displayName', value: '' }, 'invalidValue'],
    [
      'a member without an id',
      { op: 'add', path: 'members', value: [{ display: 'x' }] },
      'invalidValue',
    ],
    ['members chosen by name', { op: 'remove', path: 'members[display co "x"]' }, 'invalidFilter'],
    [
      'a member’s name',
      { op: 'replace', path: 'members[value eq "a"].display', value: 'x' },
      'mutability',
    ],
    ['a role', { op: 'add', path: 'roles', value: 'Owner' }, 'invalidPath'],
    ['the id', { op: 'replace', path: 'id', value: 'x' }, 'mutability'],
  ])('400 %s', (_, operation, scimType) => {
    expect(() => changes(operation)).toThrow(expect.objectContaining({ scimType }))
  })
})
