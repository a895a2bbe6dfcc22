import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { maxSearchWork, searchPatterns, workOfText } from './search-patterns.ts'

const many = (count: number, make: () => string) => Array.from({ length: count }, make)
const listOf = (count: number, length: number) =>
  JSON.stringify(many(count, () => randomBytes(length).toString('hex').slice(0, length)))
const privateKey = () =>
  [
    '-----BEGIN PRIVATE KEY-----',
    ...many(25, () => `MII${randomBytes(45).toString('base64')}`),
    '-----END PRIVATE KEY-----',
  ].join('\n')
const fits = (secrets: readonly string[], lists: readonly string[] = []) =>
  searchPatterns(secrets, { lists, maxWork: maxSearchWork }) !== undefined

describe('searchPatterns', () => {
  test('what workspaces have fits: 200 values with forms, as many from before, and lists', () => {
    const passwords = many(200, () => `${randomBytes(18).toString('base64')}&"`)
    const tokens = many(200, () => randomBytes(24).toString('hex'))
    const lists = many(8, () => listOf(50, 16))
    expect(fits([...passwords, ...tokens, ...lists], lists)).toBe(true)
    expect(fits(many(300, privateKey))).toBe(true)
  })

  test('each text of an object or list has the patterns that it has as a value', () => {
    const texts = ['first-password', 'second "password"/2', 'x'.repeat(100)]
    const value = JSON.stringify({ list: texts })
    const alone = searchPatterns(texts, { maxWork: maxSearchWork })
    const within = searchPatterns([], { lists: [value], maxWork: maxSearchWork })
    expect(alone?.patterns.size).toBeGreaterThan(10)
    expect(within?.values).toEqual(alone?.values)
    expect(within?.patterns).toEqual(alone?.patterns)
  })

  test('a text of 32 characters takes what the bounds count for it', () => {
    const lists = [listOf(100, 32)]
    const work = searchPatterns([], { lists, maxWork: maxSearchWork })?.work
    expect(work).toBeLessThanOrEqual(100 * workOfText)
    expect(work).toBeGreaterThan(95 * workOfText)
  })

  test('beyond the work there are none, and nothing after that is read', () => {
    let read = 0
    const secrets = (function* () {
      for (; read < 85_000; read += 1) yield randomBytes(4).toString('hex')
    })()
    expect(searchPatterns(secrets, { maxWork: maxSearchWork })).toBeUndefined()
    expect(read).toBeLessThan(4_000)
    expect(
      fits(
        [],
        many(85, () => listOf(1_000, 8)),
      ),
    ).toBe(false)
  })

  test('what is long to read counts, also where it has few texts', () => {
    const repeated = (n: number) => `[${n},${'"abcdefgh",'.repeat(10_000)}1]`
    expect(
      fits(
        [],
        many(8, () => repeated(1)),
      ),
    ).toBe(true)
    expect(
      fits(
        [],
        Array.from({ length: 60 }, (_, n) => repeated(n)),
      ),
    ).toBe(false)
  })

  test('a value that is also in a list, and one that comes twice, are counted once', () => {
    const value = listOf(1_000, 32)
    const once = searchPatterns([value], { lists: [value], maxWork: maxSearchWork })
    const lists = many(50, () => value)
    const often = searchPatterns([value, value], { lists, maxWork: once?.work ?? 0 })
    expect(often?.work).toBe(once?.work)
  })

  test('a value of 130,000 lines is read by its first long ones', () => {
    const value = `${'\n'.repeat(60_000)}${'a'.repeat(30)}\n${'b'.repeat(30)}${'\n'.repeat(60_000)}`
    const found = searchPatterns([value], { maxWork: maxSearchWork })
    expect([...(found?.patterns ?? [])]).toEqual(
      expect.arrayContaining(['a'.repeat(24), 'b'.repeat(24)]),
    )
  })
})
