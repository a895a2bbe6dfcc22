import { expect, test } from 'vitest'
import { offsetAt } from './manifest-position.ts'

const text = 'version: 1\nbuild:\n  comand: x\n'

test('a line and a column are a place in the text', () => {
  expect(text.slice(offsetAt(text, 3, 3), offsetAt(text, 3, 9))).toBe('comand')
  expect(offsetAt(text, 1, 1)).toBe(0)
})

test('a place beyond the line or the text is their end', () => {
  expect(offsetAt(text, 2, 400)).toBe(text.indexOf('\n  comand'))
  expect(offsetAt(text, 40, 1)).toBe(text.length)
  expect(offsetAt('', 1, 5)).toBe(0)
})
