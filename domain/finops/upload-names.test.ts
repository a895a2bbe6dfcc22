import { describe, expect, test } from 'vitest'
import { assertFileName, assertSourceName } from './upload-names.ts'

describe('the source of an upload', () => {
  test.each(['a', 'data-center-2', '0'.repeat(63)])('%s is taken', (name) => {
    expect(() => assertSourceName(name)).not.toThrow()
  })
  test.each(['', 'Upper', 'a b', 'ü', '../x', 'a\n', '0'.repeat(64)])('%j is refused', (name) => {
    expect(() => assertSourceName(name)).toThrow('The source is 1 to 63')
  })
})

describe('the name of a file', () => {
  test.each(['bill.csv', 'Bill 2026.CSV.GZ', 'b.parquet', 'a..csv'])('%s is taken', (name) => {
    expect(assertFileName(name)).toBe(name)
  })
  test.each([
    undefined,
    '',
    '../../etc/x.csv',
    'a/b.csv',
    'a\\b.csv',
    'a\0.csv',
    'bill.xlsx',
    'csv',
    `${'a'.repeat(200)}.csv`,
  ])('%j is refused', (name) => {
    expect(() => assertFileName(name)).toThrow("A file's name")
  })
})
