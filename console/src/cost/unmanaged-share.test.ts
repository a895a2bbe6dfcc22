import { expect, test } from 'vitest'
import { noneUnmanagedWords, unmanagedShare } from './unmanaged-share.ts'

const cost = (total: number, unmanaged: number, unattributed: number) => ({
  total,
  byOwner: { unmanaged, unattributed },
})

test('the share is that of the cost of resources, so a credit without a resource does not raise it', () => {
  expect(unmanagedShare(cost(100, 120, -20))).toBe('100.0 %')
  expect(unmanagedShare(cost(100, 30, 40))).toBe('50.0 %')
})

test('without a cost of resources there is no share', () => {
  expect(unmanagedShare(cost(75, 0, 75))).toBe('–')
  expect(unmanagedShare(cost(0, 0, 0))).toBe('–')
  expect(unmanagedShare({})).toBe('–')
})

test('an empty list says why it is empty', () => {
  expect(noneUnmanagedWords(cost(0, 0, 0))).toBe('No cost in this period.')
  expect(noneUnmanagedWords(cost(75, 0, 75))).toBe('No resource has cost in this period.')
  expect(noneUnmanagedWords(cost(100, 0, 40))).toBe(
    'A workspace held each resource with cost in this period.',
  )
})
