import { expect, test } from 'vitest'
import { lineDiff } from '../../../console/src/runs/line-diff.ts'

const signs = { same: ' ', added: '+', removed: '-' }
const shown = (before: string[], after: string[]) =>
  lineDiff(before.join('\n'), after.join('\n'))?.map(({ line, lines }) => [
    line,
    lines.map(({ kind, text }) => signs[kind] + text).join(''),
  ])

test.each([
  [['a'], ['a'], []],
  [['a', 'b', 'c'], ['a', 'x', 'c'], [[1, ' a-b+x c']]],
  [['a', 'b'], ['a', 'b', 'c'], [[1, ' a b+c']]],
  [['a', 'b', 'c'], ['b', 'c'], [[1, '-a b c']]],
  [[], ['a'], [[1, '+a']]],
  [['a'], [], [[1, '-a']]],
  [['a', 'b', 'c', 'd'], ['b', 'd', 'e'], [[1, '-a b-c d+e']]],
])('%j and %j', (before, after, hunks) => {
  expect(shown(before, after)).toEqual(hunks)
})

test('far changes are in hunks of their own, each with three lines around', () => {
  const before = Array.from({ length: 30 }, (_, n) => String(n))
  const after = before.map((text, n) => (n === 5 || n === 20 ? 'x' : text))
  expect(shown(before, after)).toEqual([
    [3, ' 2 3 4-5+x 6 7 8'],
    [18, ' 17 18 19-20+x 21 22 23'],
  ])
})

test('texts that differ everywhere and are too long are not compared', () => {
  const long = (word: string) => Array.from({ length: 3_000 }, (_, n) => `${word} ${n}`)
  expect(shown(long('a'), long('b'))).toBeUndefined()
})
