import { expect, test } from 'vitest'
import { maxCharacters, snippetsOf, type Place } from './snippets.ts'

const as = (text: string) => text
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
  const [line] = snippetsOf([place], { 'main.tf': text }, cover).get(place) ?? []
  expect(line?.text).toBe(`${'x'.repeat(495)}[mask`)
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
