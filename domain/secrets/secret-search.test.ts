import { describe, expect, test } from 'vitest'
import { createSecretSearch } from './secret-search.ts'

const secret = 'correct-"horse"/battery'
const { cover, coverAll } = createSecretSearch([secret, '471147114711', 'abcd', 'true'])
const base64 = (text: string) => Buffer.from(text).toString('base64')

describe('createSecretSearch', () => {
  test.each([
    ['equals', secret],
    ['contains', `postgres://app:${secret}@db/app`],
    ['contains in JSON', JSON.stringify({ password: secret })],
    ['contains in JSON in JSON', JSON.stringify(JSON.stringify({ password: secret }))],
    ['contains in a URL', `https://x/?p=${encodeURIComponent(secret)}&more`],
    ['contains in base64', `Basic ${base64(`user:${secret}`)}`],
    ['contains in base64 for URLs', Buffer.from(`u:${secret}`).toString('base64url')],
  ])('%s', (_, text) => {
    const covered = cover(text)
    expect(covered).toMatch(/\[masked\]$/)
    expect(text.startsWith(covered.slice(0, -'[masked]'.length))).toBe(true)
    for (const word of ['correct', 'horse', 'battery', base64('horse').slice(0, 6)])
      expect(covered).not.toContain(word)
  })

  test('in lists, objects, keys and numbers, and the rest stays as it is', () => {
    const value = {
      list: ['plain', { deep: secret }],
      [`key ${secret}`]: 1,
      [secret]: 2,
      number: 471_147_114_711,
      text: 'x471147114711',
      other: 471_147_114_712,
      yes: true,
      nothing: null,
    }
    expect(coverAll(value)).toEqual({
      list: ['plain', { deep: '[masked]' }],
      'key [masked] 2': 1,
      '[masked] 3': 2,
      number: '[masked]',
      text: 'x[masked]',
      other: 471_147_114_712,
      yes: true,
      nothing: null,
    })
    expect(coverAll('true')).toBe('true')
  })

  test('a number of more digits than JSON keeps', () => {
    const { coverAll } = createSecretSearch(['471147114711471147114711'])
    expect(coverAll(JSON.parse('471147114711471147114711'))).toBe('[masked]')
  })

  test('a short value where it is the whole, and not by chance within another', () => {
    expect(cover('abcd')).toBe('[masked]')
    expect(cover('xabcdx')).toBe('xabcdx')
  })

  test('a long value by its beginning, and a key by its lines', () => {
    const lines = Array.from({ length: 30 }, (_, n) => `${n}${'kQ9x'.repeat(15)}${n}`)
    const key = ['-----BEGIN PRIVATE KEY-----', ...lines, '-----END PRIVATE KEY-----'].join('\n')
    const { cover } = createSecretSearch([key, 'z'.repeat(100) + 'w'.repeat(60_000)])
    expect(cover(`x ${key}`)).toBe('x [masked]')
    expect(cover(`x ${JSON.stringify(key)}`)).toBe('x "[masked]')
    expect(cover(`x ${base64(key)}`)).toBe('x [masked]')
    expect(cover(`x ${lines[10]}`)).toBe('x [masked]')
    expect(cover(`x ${'z'.repeat(100)}`)).toBe('x [masked]')
    expect(cover('-----BEGIN PRIVATE KEY-----')).toBe('-----BEGIN PRIVATE KEY-----')
  })

  test('what is nested 100,000 deep is covered and ends nothing', () => {
    let deep: unknown = secret
    for (let level = 0; level < 100_000; level += 1) deep = [deep]
    expect(JSON.stringify(coverAll(deep))).toContain('[masked]')
  })

  test('1 MiB of secrets of many lines make a search of bounded size', () => {
    const many = Array.from({ length: 16 }, (_, n) =>
      Array.from({ length: 2_000 }, (_, line) => `${n}-${line}-${'v'.repeat(24)}`).join('\n'),
    )
    const before = process.cpuUsage()
    createSecretSearch(many)
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 1_000).toBeLessThan(1_000)
  })

  test('texts of 8 lists of 50, each in every form', () => {
    const lists = Array.from({ length: 8 }, (_, list) =>
      Array.from({ length: 50 }, (__, n) => `"p/${list}" & ${n} ${'kQ9x'.repeat(1 + (n % 9))}`),
    )
    const { cover } = createSecretSearch([], { lists: lists.map((list) => JSON.stringify(list)) })
    for (const text of lists.flat())
      for (const form of [text, JSON.stringify(text), encodeURIComponent(text), base64(text)])
        expect(cover(`x ${form}`)).toMatch(/^x "?\[masked\]$/)
    expect(cover('x "p/8" & 1 kQ')).toBe('x "p/8" & 1 kQ')
  })

  describe('more secrets than can be searched for', () => {
    const texts = Array.from({ length: 85_000 }, (_, n) => n.toString(36).padStart(8, 'q'))
    const lists = Array.from({ length: 85 }, (_, n) =>
      JSON.stringify(texts.slice(n * 1_000, (n + 1) * 1_000)),
    )
    const { cover, coverAll, coverBlocks, coverLines } = createSecretSearch(lists, { lists })

    test('whatever could have a part of one is masked as a whole', () => {
      for (const text of [texts[84_999] ?? '', `x ${texts[5]}`, base64('a'), 'other text', '1234'])
        expect(cover(text)).toBe('[masked]')
      expect(coverBlocks('a\nb')).toBe('[masked]')
      expect(coverLines(['a', '', 'long line'])).toEqual(['[masked]', '', '[masked]'])
      const value = { all: ['long text', 7, true, null, 'yes'], longer_key: 0.5, key: 'none' }
      expect(coverAll(value)).toEqual({
        all: ['[masked]', '[masked]', true, null, 'yes'],
        '[masked] 2': '[masked]',
        key: 'none',
      })
    })

    test('so it is where the caller knows of more, and where single values are too many', () => {
      const incomplete = createSecretSearch(['abcdefgh'], { isIncomplete: true })
      expect(incomplete.cover('other text')).toBe('[masked]')
      const single = createSecretSearch(texts)
      expect(single.cover('other text')).toBe('[masked]')
    })

    test('to know that takes a bounded time', () => {
      const before = process.cpuUsage()
      createSecretSearch(lists, { lists })
      const { user, system } = process.cpuUsage(before)
      // 10 ms; all of them took 3 s.
      expect((user + system) / 1_000).toBeLessThan(300)
    })
  })

  describe('lines that follow each other', () => {
    const body = Array.from({ length: 30 }, (_, n) => `${10 + n}${'kQ9x'.repeat(15)}`)
    const { coverLines } = createSecretSearch([
      ['-----BEGIN KEY-----', ...body, '-----END KEY-----'].join('\n'),
      'correct-horse-battery',
    ])
    const traces = (lines: readonly string[]) => lines.filter((line) => line.includes('kQ9x'))

    test('from the beginning of a secret of many lines nothing is shown', () => {
      const log = ['begin', 'a = correct-horse-battery', ...body.map((line) => `  ${line}`), 'end']
      const covered = coverLines(log)
      expect(covered.slice(0, 3)).toEqual(['begin', 'a = [masked]', '[masked]'])
      expect(covered).toHaveLength(log.length)
      expect(new Set(covered.slice(3))).toEqual(new Set(['[masked]']))
    })

    test('a page that begins within the secret', () => {
      for (const prefix of ['', '    ', '  + ', 'null_resource.a (local-exec): ']) {
        const log = [...body.slice(14).map((line) => prefix + line), 'end']
        expect(traces(coverLines(log))).toEqual([])
        expect(coverLines(log).at(-1)).toBe('end')
      }
    })

    test('without a secret they stay as they are', () => {
      expect(coverLines(['a', '', 'b'])).toEqual(['a', '', 'b'])
    })
  })
})
