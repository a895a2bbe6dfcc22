import { expect, test } from 'vitest'
import { detailWords } from './detail-words.ts'

test('a change says the old and the new value', () => {
  expect(detailWords({ role: { from: null, to: 'Deployer' } })).toBe('Role: none → Deployer')
  expect(detailWords({ learnPrices: { from: true, to: false } })).toBe('Learn prices: yes → no')
})

test('ids, hashes and what is missing are left out', () => {
  const detail = {
    workspaceId: 12,
    sessionIds: [1, 2],
    planDigest: 'a1b2',
    sha256: 'ff',
    comment: null,
    phase: 'plan',
  }
  expect(detailWords(detail)).toBe('Phase: plan')
})

test('a code becomes words, and what a person chose stays', () => {
  expect(detailWords({ because: 'approver_is_author' })).toBe('Because: approver is author')
  expect(detailWords({ key: 'db_password' })).toBe('Key: db_password')
  expect(detailWords({ files: { from: 1200, to: 1201 } })).toBe('Files: 1,200 → 1,201')
})

test('a long list names some and counts the rest', () => {
  expect(detailWords({ paths: ['a', 'b', 'c', 'd', 'e', 'f'] })).toBe(
    'Paths: a, b, c, d and 2 more',
  )
  expect(detailWords({ reasons: [] })).toBe('Reasons: none')
})

test('what is no object has no words', () => {
  expect([null, 'text', undefined].map(detailWords)).toEqual(['', '', ''])
})
