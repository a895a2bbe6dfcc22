import { expect, test } from 'vitest'
import { snippetOf } from '../../../console/src/runs/snippet-of.ts'

const text = ['one', 'two', 'three', 'four', 'five', 'six', 'seven'].join('\n')
const numbers = (line: number) => snippetOf(text, line).map((one) => one.line)

test.each([
  [4, [2, 3, 4, 5, 6]],
  [1, [1, 2, 3]],
  [7, [5, 6, 7]],
  [8, []],
  [0, []],
])('around line %i are the lines %j', (line, expected) => {
  expect(numbers(line)).toEqual(expected)
})

test('a line keeps its number and its text', () => {
  expect(snippetOf('a\r\nb', 2)).toEqual([
    { line: 1, text: 'a' },
    { line: 2, text: 'b' },
  ])
})

test('a line of megabytes is cut', () => {
  expect(snippetOf('x'.repeat(2_000_000), 1)[0]?.text).toHaveLength(500)
})
