import { expect, test } from 'vitest'
import { summaryInWords } from './summary-words.ts'

const counts = { add: 1, change: 2_000, destroy: 0 }

test('a plan without imports has three counts', () => {
  const text = '1 resource to add, 2,000 to change, 0 to destroy'
  expect(summaryInWords(counts, 'planned')).toBe(text)
  expect(summaryInWords({ import: 0, ...counts }, 'planned')).toBe(text)
})

test('imports come first', () => {
  expect(summaryInWords({ import: 3, ...counts }, 'planned')).toBe(
    '3 resources to import, 1 to add, 2,000 to change, 0 to destroy',
  )
  expect(summaryInWords({ import: 1, ...counts }, 'done')).toBe(
    '1 resource imported, 1 added, 2,000 changed, 0 destroyed',
  )
})
