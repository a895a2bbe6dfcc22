import { describe, expect, test } from 'vitest'
import { changesOfNew } from './group-changes.ts'
import { readDocument } from './read-document.ts'
import { enterpriseUrn, groupSchema, userSchema } from './schemas.ts'

const read = (given: object) => readDocument(userSchema, { userName: 'ada', ...given })

describe('elements without a value, in a POST or PUT', () => {
  test('are left out, as a PATCH leaves them out (RFC 7643 2.5)', () => {
    const work = { value: 'a@b.test', type: 'work' }
    const empty = { type: 'home', primary: true, display: 'Home' }
    expect(read({ emails: [empty, work, { value: '', type: 'other' }] })).toEqual({
      userName: 'ada',
      emails: [work],
    })
    for (const [name, element] of [
      ['emails', { value: null, type: 'work' }],
      ['phoneNumbers', { value: ' ', type: 'mobile' }],
      ['addresses', { type: 'work', primary: true }],
    ] as const)
      expect(read({ [name]: [element] }), name).toEqual({ userName: 'ada' })
  })

  test('an address has none, and is kept by its parts; the first with a value stays primary', () => {
    const addresses = [{ type: 'work', locality: 'Paris' }]
    expect(read({ addresses })).toMatchObject({ addresses })
    const emails = [
      { type: 'home', primary: true },
      { value: 'a@b.test', primary: true },
    ]
    expect(read({ emails })).toMatchObject({ emails: [{ value: 'a@b.test', primary: true }] })
  })

  test('a member that names nobody is still refused', () => {
    const body = { displayName: 'g', members: [{ display: 'Nobody' }] }
    expect(() => changesOfNew(readDocument(groupSchema, body))).toThrow()
  })
})

test('a bare name of an extension is not read from a body: each has its place there', () => {
  expect(read({ department: 5, [enterpriseUrn]: { department: 'Ships' } })).toEqual({
    userName: 'ada',
    [enterpriseUrn]: { department: 'Ships' },
  })
})
