import { describe, expect, test } from 'vitest'
import { AppError } from '../errors.ts'
import { applyPatch } from './apply-patch.ts'
import { changesOfPatch } from './group-changes.ts'
import { patchOperations } from './patch-operations.ts'
import { readDocument } from './read-document.ts'
import { enterpriseUrn, groupSchema, groupUrn, userSchema, type ResourceSchema } from './schemas.ts'

/**
 * Half a megabyte of JSON. Reading and writing it is the least work that a large body takes: 4 ms of CPU on a machine
 * on which a request of these takes at most 40.
 */
const bare = JSON.stringify(
  Array.from({ length: 10_000 }, (_, n) => ({ name: `value ${n}`, value: [n, 'text', null] })),
)
const maxTimesBare = 10

const cpuMs = (work: () => unknown): number => {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

/** A refusal costs what was done until then. */
function untilRefused(work: () => unknown): void {
  try {
    work()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
  }
}

/** As a ratio to the bare work right before it. The smallest of 8 counts, because the load of the machine changes. */
function timesBare(work: () => unknown): number {
  const ratios = Array.from({ length: 8 }, () => {
    const least = cpuMs(() => JSON.stringify(JSON.parse(bare)))
    return cpuMs(() => untilRefused(work)) / least
  })
  return Math.min(...ratios)
}

const hundred = <T>(of: (n: number) => T): T[] => Array.from({ length: 100 }, (_, n) => of(n))
const long = (n: number, length = 990) => `${'Ж'.repeat(length - 4)}${1_000 + n}`
const parts = ['formatted', 'streetAddress', 'locality', 'region', 'postalCode', 'country']
const whole = (n: number) => Object.fromEntries(parts.map((part) => [part, long(n)]))
const either = (terms: number, term: (n: number) => string) =>
  Array.from({ length: terms }, (_, n) => term(n)).join(' or ')
/** Spellings of one name that differ in case alone. */
const spellings = (name: string, count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => [
      Array.from(name, (letter, n) => ((at >> n) & 1 ? letter.toUpperCase() : letter)).join(''),
      'x',
    ]),
  )

const keys = (count: number, prefix: string): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`${prefix}${n}`, 1]))

const ofPerson = (stored: object, count: number, operation: object) => () =>
  applyPatch(
    userSchema,
    { userName: 'ada', active: true, ...stored },
    { operations: patchOperations({ Operations: Array(count).fill(operation) }), id: 'x' },
  )
const ofNew = (schema: ResourceSchema, body: Record<string, unknown>) => () =>
  readDocument(schema, body)
const ofGroup = (operations: object[]) => () =>
  changesOfPatch(
    { displayName: 'Ops', externalId: null },
    patchOperations({ Operations: operations }),
    'x',
  )

const addresses = hundred((n) => ({ formatted: long(n) }))
const sameLetters = hundred((n) => ({ country: `${'a'.repeat(990)}${n}` }))
const remove = (path: string) => ({ op: 'remove', path })

describe('a request for a person costs at most 10 times the CPU of half a megabyte of JSON', () => {
  test.each<[string, () => unknown]>([
    [
      '20 terms, 100 addresses, 200 times',
      ofPerson(
        { addresses },
        200,
        remove(`addresses[${either(20, (n) => `formatted co "q${n}"`)}]`),
      ),
    ],
    [
      'equal texts of other lengths',
      ofPerson(
        { addresses },
        200,
        remove(`addresses[${either(20, (n) => `formatted eq "q${n}"`)}]`),
      ),
    ],
    [
      'a search that fails late at each letter',
      ofPerson(
        { addresses: sameLetters },
        200,
        remove(`addresses[${either(20, () => 'country co "aaaaab"')}]`),
      ),
    ],
    [
      'a long search that fails late at each letter',
      ofPerson(
        { addresses: sameLetters },
        200,
        remove(`addresses[country co "${'a'.repeat(125)}b${'a'.repeat(374)}"]`),
      ),
    ],
    [
      'addresses removed by lists of values',
      ofPerson({ addresses }, 100, {
        ...remove('addresses'),
        value: hundred((n) => ({ country: `q${n}` })),
      }),
    ],
    [
      'phone numbers removed by lists of values',
      ofPerson({ phoneNumbers: hundred((n) => ({ value: long(n, 840) })) }, 100, {
        ...remove('phoneNumbers'),
        value: hundred((n) => ({ value: `q${n}` })),
      }),
    ],
    [
      'a part of each address',
      ofPerson({ addresses: hundred(whole) }, 200, {
        op: 'replace',
        path: 'addresses.type',
        value: 'x',
      }),
    ],
    [
      'all addresses chosen, and changed by a list of 100',
      ofPerson({ addresses }, 100, {
        op: 'add',
        path: 'addresses[formatted pr]',
        value: hundred((n) => ({ country: `q${n}` })),
      }),
    ],
    [
      'all addresses chosen, and changed by a list of a megabyte',
      ofPerson({ addresses }, 1, {
        op: 'add',
        path: 'addresses[formatted pr]',
        value: hundred(whole).slice(0, 80),
      }),
    ],
    [
      'an extension with thousands of spellings of one name',
      ofPerson({}, 1, { op: 'add', path: enterpriseUrn, value: spellings('organization', 4_000) }),
    ],
    ['a key of a megabyte', ofNew(userSchema, { ['Ж'.repeat(500_000)]: 1 })],
    ['a key of a million dots', ofNew(userSchema, { ['.'.repeat(1_000_000)]: 1 })],
    ['20,000 keys that are no attributes', ofNew(userSchema, keys(20_000, `${enterpriseUrn}:k`))],
  ])('%s', (_, work) => {
    expect(timesBare(work)).toBeLessThan(maxTimesBare)
  })
})

describe('a request for a group costs at most 10 times the CPU of half a megabyte of JSON', () => {
  const many = Array.from({ length: 70_000 }, () => ({ value: 'a' }))
  const fields = keys(90_000, 'k')

  test.each<[string, () => unknown]>([
    ['70,000 members', ofGroup([{ op: 'add', path: 'members', value: many }])],
    [
      '5,000 operations that each choose 6 members',
      ofGroup(
        Array.from({ length: 5_000 }, (_, at) =>
          remove(`members[${either(6, (n) => `value eq "a${at}-${n}"`)}]`),
        ),
      ),
    ],
    [
      'an operation without a path, of 16,000 spellings of one name',
      ofGroup([{ op: 'add', value: spellings(`${groupUrn}:displayname`, 16_000) }]),
    ],
    [
      'an operation of 90,000 fields',
      ofGroup([{ op: 'add', path: 'members', value: [], ...fields }]),
    ],
    [
      'a member of 90,000 fields',
      ofGroup([{ op: 'add', path: 'members', value: [{ value: 'a', ...fields }] }]),
    ],
    ['a new group of 90,000 fields', ofNew(groupSchema, fields)],
    ['a new group of 70,000 members', ofNew(groupSchema, { members: many })],
  ])('%s', (_, work) => {
    expect(timesBare(work)).toBeLessThan(maxTimesBare)
  })
})
