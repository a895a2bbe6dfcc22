import { describe, expect, test } from 'vitest'
import { applyPatch } from './apply-patch.ts'
import { changesOfPatch } from './group-changes.ts'
import { patchOperations } from './patch-operations.ts'
import { maxPatchLetters, patchWork } from './patch-work.ts'
import type { Document } from './read-document.ts'
import { enterpriseUrn, userSchema } from './schemas.ts'

const refused = (message: RegExp) =>
  expect.objectContaining({
    fault: 'invalid',
    scimType: 'invalidValue',
    message: expect.stringMatching(message),
  })

function patched(stored: object, operations: object[]) {
  const work = patchWork()
  const before: Document = { userName: 'ada', active: true, ...stored }
  const document = () =>
    applyPatch(userSchema, before, {
      operations: patchOperations({ Operations: operations }),
      id: 'x',
      work,
    })
  return { work, document }
}

const emails = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ value: `Ada.Lovelace-${n}@mail.acme.test` }))
const addresses = Array.from({ length: 100 }, (_, n) => ({ formatted: `${'Ж'.repeat(986)}${n}` }))
const times = <T>(count: number, of: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => of(n))

describe('the work of one PATCH of a person', () => {
  const terms = times(20, (n) => `formatted co "q${n}"`).join(' or ')

  test('400: filters of many terms over long texts, at the operation that is too much', () => {
    const costly = { op: 'remove', path: `addresses[${terms}]` }
    const cheap = { op: 'add', path: 'title', value: 'x' }
    const { work, document } = patched({ addresses }, [cheap, ...times(199, () => costly)])
    expect(document).toThrow(refused(/^Operation 2 compares too much: .* 2,000,000 letters/))
    // It stops at once: no more than the comparison that was too much.
    expect(work.letters).toBeLessThan(maxPatchLetters + 2_000)
  })

  test('400: lists of values that are each compared with all others', () => {
    const of = (path: string, value: object[]) => times(100, () => ({ op: 'remove', path, value }))
    const countries = times(100, (n) => ({ country: `q${n}` }))
    const removals = [
      patched({ addresses }, of('addresses', countries)),
      patched(
        { emails: emails(100) },
        of(
          'emails',
          times(100, (n) => ({ value: `q${n}` })),
        ),
      ),
    ]
    for (const { work, document } of removals) {
      expect(document).toThrow(refused(/^Operation 1\d compares too much/))
      expect(work.letters).toBeLessThan(maxPatchLetters + 2_000)
    }
  })

  test('400: a long text is counted as often as a search for it may read each letter', () => {
    const sought = 'a'.repeat(900)
    const stored = times(100, (n) => ({ country: `${'b'.repeat(990)}${n}` }))
    const search = { op: 'remove', path: `addresses[country co "${sought}"]` }
    const { document } = patched(
      { addresses: stored },
      times(3, () => search),
    )
    expect(document).toThrow(refused(/^Operation 2 compares too much/))
  })

  test('a text is converted to lower case once, however many operations and terms compare it', () => {
    const stored = times(10, (n) => ({ formatted: `${'Ж'.repeat(989)}${n}`, type: 'work' }))
    const operations = times(50, (n) => ({
      op: 'replace',
      path: 'addresses[formatted ne "q" and type eq "work"].region',
      value: `region ${n}`,
    }))
    const { work, document } = patched({ addresses: stored }, operations)
    expect(document()['addresses']).toEqual(stored.map((one) => ({ ...one, region: 'region 49' })))
    const once = 10 * 990 + 'q'.length + 'work'.length
    expect(work.letters).toBe(once + 50 * 10 * 2 * 16)
  })

  test('400: an extension counts as the attributes that its value names', () => {
    const part = { department: 'A', division: 'B', costCenter: 'C', manager: 'm' }
    const of = (count: number) =>
      patched(
        {},
        times(count, () => ({ op: 'add', path: enterpriseUrn, value: part })),
      ).document
    expect(of(50)()[enterpriseUrn]).toMatchObject({ department: 'A', manager: { value: 'm' } })
    expect(of(51)).toThrow(refused(/At most 200 operations for one person/))
  })
})

describe('what identity providers send stays far below the limits', () => {
  test('Entra ID and Okta: a person of 20 values of a kind, changed in 40 operations', () => {
    const stored = {
      emails: times(20, (n) => ({ value: `ada-${n}@acme.test`, type: n === 0 ? 'work' : `o${n}` })),
      phoneNumbers: times(20, (n) => ({ value: `+49 30 ${n}`, type: `t${n}` })),
      addresses: times(20, (n) => ({ formatted: `Street ${n}\nBerlin`, type: `t${n}` })),
    }
    const { work, document } = patched(
      stored,
      times(10, (n) => [
        { op: 'Replace', path: 'emails[type eq "work"].value', value: `new-${n}@acme.test` },
        { op: 'Add', path: `phoneNumbers[type eq "t${n}"].value`, value: `+49 40 ${n}` },
        { op: 'Add', path: 'addresses[type eq "work"].formatted', value: `Street ${n}` },
        { op: 'replace', value: { displayName: `Ada ${n}`, 'name.givenName': 'Ada' } },
      ]).flat(),
    )
    expect(document()['emails']).toHaveLength(20)
    expect(work.letters).toBeLessThan(maxPatchLetters / 100)
  })

  test('100 e-mails removed one after the other, by a filter or as a value', () => {
    for (const of of [
      (value: string) => ({ op: 'remove', path: `emails[value eq "${value}"]` }),
      (value: string) => ({ op: 'Remove', path: 'emails', value: [{ value }] }),
    ]) {
      const stored = emails(100)
      const { work, document } = patched(
        { emails: stored },
        stored.map(({ value }) => of(value)),
      )
      expect(document()).not.toHaveProperty('emails')
      expect(work.letters).toBeLessThan(maxPatchLetters / 10)
    }
  })

  const ofGroup = (operations: object[]) =>
    changesOfPatch(
      { displayName: 'Ops', externalId: null },
      patchOperations({ Operations: operations }),
      'x',
    ).members

  test('a group: 20,000 members added at once, and 5,000 removed by an operation each', () => {
    const value = times(20_000, (n) => ({ value: `id-${n}` }))
    expect(ofGroup([{ op: 'add', path: 'members', value }]).add.size).toBe(20_000)
    const removals = times(5_000, (n) => ({ op: 'remove', path: `members[value eq "id-${n}"]` }))
    expect(ofGroup(removals).remove.size).toBe(5_000)
  })

  test('400: a group whose members are chosen by more than 10,000 comparisons', () => {
    const chosen = (at: number) => times(20, (n) => `value eq "id-${at}-${n}"`).join(' or ')
    const removals = times(501, (at) => ({ op: 'remove', path: `members[${chosen(at)}]` }))
    expect(ofGroup(removals.slice(0, 500)).remove.size).toBe(10_000)
    expect(() => ofGroup(removals)).toThrow(
      refused(/^The filters of operations 1 to 501 choose more than 10000 members/),
    )
  })

  test('400: an operation without a path of a group counts as those that it stands for', () => {
    const names = times(5_001, (at) =>
      Array.from('externaliddisplayname', (letter, n) =>
        (at >> n) & 1 ? letter.toUpperCase() : letter,
      ).join(''),
    )
    const value = Object.fromEntries(names.map((name) => [name, 'x']))
    expect(() => ofGroup([{ op: 'add', value }])).toThrow(
      refused(/^At most 5000 operations in one request/),
    )
  })
})
