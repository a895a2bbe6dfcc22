import { describe, expect, test } from 'vitest'
import { AppError } from '../errors.ts'
import { parseFilter } from './parse-filter.ts'
import { resolveFilter } from './resolve-filter.ts'
import { groupSchema, userSchema } from './schemas.ts'

const is = (path: string, value: string, operator = 'eq') => ({
  kind: 'compare',
  path,
  operator,
  value,
})

describe('the grammar of RFC 7644 3.4.2.2', () => {
  test.each([
    ['userName eq "bjensen"', is('userName', 'bjensen')],
    ['USERNAME Eq "b"', is('USERNAME', 'b')],
    ['name.familyName co "O\'Malley"', is('name.familyName', "O'Malley", 'co')],
    [String.raw`title eq "a \"b\" \\ \u00e9"`, is('title', String.raw`a "b" \ é`)],
    ['title pr', { kind: 'present', path: 'title' }],
    ['active eq true', { ...is('active', ''), value: true }],
    ['title eq null', { ...is('title', ''), value: null }],
    [
      'urn:ietf:params:scim:schemas:core:2.0:User:userName sw "J"',
      is('urn:ietf:params:scim:schemas:core:2.0:User:userName', 'J', 'sw'),
    ],
    [
      'a eq "1" or b eq "2" and c eq "3"',
      { kind: 'or', parts: [is('a', '1'), { kind: 'and', parts: [is('b', '2'), is('c', '3')] }] },
    ],
    [
      '(a eq "1" or b eq "2") and c eq "3"',
      { kind: 'and', parts: [{ kind: 'or', parts: [is('a', '1'), is('b', '2')] }, is('c', '3')] },
    ],
    ['not (a eq "1")', { kind: 'not', part: is('a', '1') }],
    [
      'not(a pr) AND b pr',
      {
        kind: 'and',
        parts: [
          { kind: 'not', part: { kind: 'present', path: 'a' } },
          { kind: 'present', path: 'b' },
        ],
      },
    ],
    [
      'emails[type eq "work" and value co "@x"]',
      {
        kind: 'element',
        path: 'emails',
        filter: { kind: 'and', parts: [is('type', 'work'), is('value', '@x', 'co')] },
      },
    ],
    [
      'emails[type eq "work"].value eq "a@b"',
      {
        kind: 'element',
        path: 'emails',
        filter: { kind: 'and', parts: [is('type', 'work'), is('value', 'a@b')] },
      },
    ],
    ['not eq "x"', is('not', 'x')],
  ])('%s', (text, expected) => {
    expect(parseFilter(text)).toEqual(expected)
  })

  const deep = (depth: number) => `${'('.repeat(depth)}a pr${')'.repeat(depth)}`
  const many = (count: number) => Array(count).fill('a pr').join(' and ')
  test.each([
    '',
    ' ',
    'userName',
    'userName eq',
    'userName eq bjensen',
    'userName eq "b',
    'userName xx "b"',
    'userName eq "b" and',
    'userName eq "b" title pr',
    '(a pr',
    'a pr)',
    'emails[type eq "w"',
    'emails[]',
    'not a pr',
    'and a pr',
    "a eq 'b'",
    'a eq "b"; drop table users',
    'a eq "\u0001\\x"',
    '"a" eq "b"',
    'a eq "\\u0000"',
    'a eq "\\ud800"',
    deep(10),
    many(21),
    `a eq "${'x'.repeat(1_024)}"`,
    'a\tpr',
    '[',
    'ä pr',
  ])('400 invalidFilter: %s', (text) => {
    expect(() => parseFilter(text)).toThrow(expect.objectContaining({ scimType: 'invalidFilter' }))
  })

  test('as deep and as long as it may be', () => {
    expect(parseFilter(deep(9))).toEqual({ kind: 'present', path: 'a' })
    expect(parseFilter(many(20))).toMatchObject({ kind: 'and' })
  })

  test('what is made to be slow is not', () => {
    const started = performance.now()
    for (const text of [
      '('.repeat(1_024),
      '"'.repeat(1_023),
      `${'a.'.repeat(500)} prx`,
      '\\"'.repeat(500),
    ])
      expect(() => parseFilter(text)).toThrow(AppError)
    expect(performance.now() - started).toBeLessThan(200)
  })
})

describe('names and types', () => {
  const resolved = (text: string) => resolveFilter(userSchema, parseFilter(text))

  test('names are found whatever their case, with their URN or without; values get their type', () => {
    expect(resolved('USERname eq "x"')).toMatchObject({ path: { attribute: { name: 'userName' } } })
    expect(
      resolved('urn:ietf:params:scim:schemas:core:2.0:user:Name.FamilyName eq "x"'),
    ).toMatchObject({
      path: { attribute: { name: 'name' }, sub: { name: 'familyName' } },
    })
    expect(
      resolved('urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager eq "1"'),
    ).toMatchObject({ path: { attribute: { name: 'manager' }, sub: { name: 'value' } } })
    expect(resolved('active eq "True"')).toMatchObject({ value: true })
    expect(resolved('emails eq "a@b"')).toMatchObject({ path: { sub: { name: 'value' } } })
    expect(resolved('meta.lastModified gt "2026-01-02T03:04:05+01:00"')).toMatchObject({
      value: '2026-01-02T02:04:05.000Z',
    })
    expect(resolveFilter(groupSchema, parseFilter('members eq "1"'))).toMatchObject({
      path: { sub: { name: 'value' } },
    })
  })

  test.each([
    'nosuch eq "x"',
    'name eq "x"',
    'name.nosuch eq "x"',
    'userName.x pr',
    'password eq "x"',
    'active gt true',
    'active eq "maybe"',
    'active co "t"',
    'userName eq true',
    'userName eq 1',
    'userName gt null',
    'meta.created eq "yesterday"',
    'meta.created co "2026-01-01"',
    'meta.created eq "0000-01-01"',
    'name[formatted eq "x"]',
    'emails[nosuch eq "x"]',
    'emails.value[type eq "x"]',
    'emails[type[a pr]]',
    '__proto__ eq "x"',
    'constructor pr',
    'members eq "x"',
    'urn:other:userName eq "x"',
  ])('400 invalidFilter: %s', (text) => {
    expect(() => resolved(text)).toThrow(expect.objectContaining({ scimType: 'invalidFilter' }))
  })
})
