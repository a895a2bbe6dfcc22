import { expect, test } from 'vitest'
import { createSecretSearch } from '../secrets/secret-search.ts'
import { maxCharacters, snippetsOf, type Place } from './snippets.ts'

const same = (text: string) => text
const as = { cover: same, coverBlocks: same }
const at = (line: number | null, file: string | null = 'main.tf') => ({ file, line })
const seven = ['one', 'two', 'three', 'four', 'five', 'six', 'seven'].join('\n')
const linesOf = (place: Place, text = seven) =>
  snippetsOf([place], { 'main.tf': text }, as).get(place)

test.each([
  [4, [2, 3, 4, 5, 6]],
  [1, [1, 2, 3]],
  [7, [5, 6, 7]],
])('around line %i are the lines %j', (line, expected) => {
  expect(linesOf(at(line))?.map((one) => one.line)).toEqual(expected)
})

test.each([at(8), at(0), at(null), at(1, null), at(1, 'other.tf'), at(1, 'toString')])(
  'nothing is around %j',
  (place) => {
    expect(linesOf(place)).toBeUndefined()
  },
)

test('a line keeps its number and its text, also at the end of the file', () => {
  expect(linesOf(at(2), 'a\r\nb')).toEqual([
    { line: 1, text: 'a' },
    { line: 2, text: 'b' },
  ])
})

test('a line is masked before it is cut, so that no part of a secret is left', () => {
  const text = `${'x'.repeat(495)}secret-of-mine`
  const cover = (line: string) => line.replace('secret-of-mine', '[masked]')
  const place = at(1)
  const [line] =
    snippetsOf([place], { 'main.tf': text }, { cover, coverBlocks: same }).get(place) ?? []
  expect(line?.text).toBe(`${'x'.repeat(495)}[mask`)
})

test('nothing is shown of a file after the beginning of a secret of several lines', () => {
  const key = Array.from({ length: 24 }, (_, n) => `line-${n}-of-the-key`).join('\n')
  const search = createSecretSearch([
    key,
    'user: admin\npass: hunter2\nhost: db.internal',
    'of-one-line',
  ])
  const after = (text: string, line: number) =>
    snippetsOf([at(line)], { 'main.tf': `first = 1\nkey = <<E\n${text}\nE\nlast = 1\n` }, search)
  for (const line of [20, 27, 29]) expect(after(key, line).size).toBe(0)
  expect(after('user: admin\npass: hunter2\nhost: db.internal', 6).size).toBe(0)
  expect([...after(key, 1).values()].flat().map(({ text }) => text)).toEqual([
    'first = 1',
    'key = <<E',
    '[masked]',
  ])
  expect([...after('x = "of-one-line"\ny = 2', 4).values()].flat().map(({ text }) => text)).toEqual(
    ['key = <<E', 'x = "[masked]', 'y = 2', 'E', 'last = 1'],
  )
})

test('a line of megabytes is cut, and not within a character', () => {
  const [line] = linesOf(at(1), `${'x'.repeat(499)}${'😀'.repeat(1_000_000)}`) ?? []
  expect(line?.text).toBe('x'.repeat(499))
})

test('together they are bounded', () => {
  const text = Array.from({ length: 1_000 }, () => 'x'.repeat(600)).join('\n')
  const places = Array.from({ length: 200 }, (_, n) => at(5 * n + 3))
  const snippets = snippetsOf(places, { 'main.tf': text }, as)
  expect(snippets.size).toBe(Math.floor(maxCharacters / 2_500))
  expect(snippets.has(places[0] ?? at(0))).toBe(true)
})

test('many places of a file of a million lines take one pass', () => {
  const text = '\n'.repeat(2_000_000)
  const places = Array.from({ length: 200 }, (_, n) => at(1_999_999 - n))
  const began = performance.now()
  expect(snippetsOf(places, { 'main.tf': text }, as).size).toBe(200)
  expect(performance.now() - began).toBeLessThan(1_000)
})
