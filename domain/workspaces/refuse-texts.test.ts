import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createSecretSearch } from '../secrets/secret-search.ts'
import { refuseOverrideTexts, refuseTexts, type StoredSecret } from './refuse-texts.ts'

const listOf = (count: number, length: number) =>
  JSON.stringify(
    Array.from({ length: count }, () => randomBytes(length).toString('hex').slice(0, length)),
  )
const stored = (id: number, value: string, isOfOpenTofu = true): StoredSecret => ({
  id,
  isOfOpenTofu,
  value,
})
const added = (value: string) => ({ id: 0, key: 'keys', value })

describe('refuseTexts', () => {
  test('1,000 texts of 32 characters and 2,000 of 8 are searched for, and more are refused', () => {
    expect(refuseTexts(added(listOf(1_000, 32)), [])).toBeUndefined()
    expect(refuseTexts(added(listOf(1_000, 8)), [stored(1, listOf(1_000, 8))])).toBeUndefined()
    const refused = refuseTexts(added(listOf(1_000, 32)), [stored(1, listOf(20, 32))])
    expect(refused).toMatchObject({ fault: 'invalid', code: 'variables_too_large' })
    expect(refused?.message).toContain('The value of keys has 1000 texts of 8 or more characters')
    expect(refused?.message).toContain('more to search for than 1000 texts of 32 characters')
    expect(refused?.message).toContain('secret store')
  })

  test('what is accepted is searched for, also beside 200 values from before', () => {
    const lists = [listOf(500, 32), listOf(490, 32)]
    expect(refuseTexts(added(lists[1] ?? ''), [stored(1, lists[0] ?? '')])).toBeUndefined()
    const before = Array.from({ length: 200 }, () => randomBytes(16).toString('hex'))
    const { cover } = createSecretSearch([...lists, ...before], { lists })
    expect(cover('other text')).toBe('other text')
  })

  test('single values count, and the texts of what only programs read do not', () => {
    const env = stored(1, listOf(1_000, 32), false)
    expect(refuseTexts(added(listOf(1_000, 32)), [env])).toBeUndefined()
    const single = Array.from({ length: 199 }, (_, n) => stored(n + 1, `${n}`.padEnd(32, 'x')))
    expect(refuseTexts(added(listOf(750, 32)), single)).toBeUndefined()
    expect(refuseTexts(added(listOf(1_000, 32)), single)?.code).toBe('variables_too_large')
  })

  test('of a workspace above the bound from before, a value can be made smaller, and not larger', () => {
    const old = Array.from({ length: 85 }, (_, n) => stored(n + 1, listOf(1_000, 8)))
    expect(refuseTexts({ id: 1, key: 'a', value: listOf(900, 8) }, old)).toBeUndefined()
    expect(refuseTexts({ id: 1, key: 'a', value: listOf(1_000, 9) }, old)?.code).toBe(
      'variables_too_large',
    )
    expect(refuseTexts(added(listOf(10, 8)), old)?.code).toBe('variables_too_large')
  })
})

describe('refuseOverrideTexts', () => {
  test('250 texts of 32 characters', () => {
    expect(refuseOverrideTexts([listOf(120, 32), listOf(120, 32), 'single'])).toBeUndefined()
    expect(refuseOverrideTexts([listOf(130, 32), listOf(130, 32)])).toMatchObject({
      code: 'variables_too_large',
      message: expect.stringContaining('have 260 texts of 8 or more characters'),
    })
  })
})
