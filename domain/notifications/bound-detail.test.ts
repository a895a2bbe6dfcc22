import { expect, test } from 'vitest'
import { boundDetail, cutText } from './bound-detail.ts'

test('short facts stay as they are', () => {
  const detail = { day: '2026-11-01', impact: 10.5, runs: [{ id: 1, by: null }], open: true }
  expect(boundDetail(detail)).toEqual(detail)
})

test('long texts, lists and nesting are cut', () => {
  const deep = { a: { b: { c: { d: { e: 1 } } } } }
  expect(boundDetail(deep)).toEqual({ a: { b: { c: { d: null } } } })
  expect(boundDetail({ many: Array.from({ length: 900 }, () => 1) })).toEqual({
    many: Array.from({ length: 50 }, () => 1),
  })
  expect(boundDetail(['x'.repeat(5_000)])).toEqual([`${'x'.repeat(999)}…`])
})

test('a cut text is well-formed Unicode', () => {
  expect(cutText('ab😀cd', 4)).toBe('ab…')
  expect(cutText('a\ud800b', 10)).toBe('a\ufffdb')
  expect(cutText('abcd', 4)).toBe('abcd')
})
