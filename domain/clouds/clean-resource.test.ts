import { expect, test } from 'vitest'
import { cleanResource } from './clean-resource.ts'
import type { FoundResource } from './cloud-account.ts'

const clean = (more: Partial<FoundResource>) => {
  const cleaned = cleanResource({ ...resource, ...more })
  if (!cleaned) throw new Error('dropped')
  return cleaned
}
const resource = { cloudId: 'arn:1', service: 's', type: 't', name: 'n', region: 'r', tags: {} }

test('NUL and lone surrogates, which jsonb refuses, are replaced; other Unicode stays', () => {
  const tags = { 'a\0b': 'x\u{D800}', 'ключ 🔑': '', é: '値' }
  expect(clean({ tags }).tags).toEqual({
    'a\u{FFFD}b': 'x\u{FFFD}',
    é: '値',
    'ключ 🔑': '',
  })
})

test('the order of tags is no difference', () => {
  const one = clean({ tags: { b: '1', a: '2' } })
  const two = clean({ tags: { a: '2', b: '1' } })
  expect(JSON.stringify(one)).toBe(JSON.stringify(two))
})

test('a cloud id of 2,000 characters stays whole; a region of 2,000 is cut to an index entry', () => {
  const long = '値'.repeat(2_000)
  const { cloudId, region } = clean({ cloudId: long, region: long })
  expect(cloudId).toBe(long)
  expect(Buffer.byteLength(region)).toBeLessThanOrEqual(600)
})

test('a longer cloud id is no resource: cut, it would name another', () => {
  expect(cleanResource({ ...resource, cloudId: 'x'.repeat(2_001) })).toBeUndefined()
})

test('tags over 64 KiB in all are left out, the others stay', () => {
  const tags = { a: '値'.repeat(20_000), b: 'x'.repeat(65_536), c: 'y'.repeat(5_534), d: '' }
  expect(Object.keys(clean({ tags }).tags)).toEqual(['a', 'c'])
})

test('tags over 1,000 are left out, in the order of their keys', () => {
  const keys = Array.from({ length: 21_800 }, (_, n) => n.toString(36).padStart(3, '0')).toSorted()
  const tags = Object.fromEntries(keys.toReversed().map((key) => [key, '']))
  expect(Object.keys(clean({ tags }).tags).toSorted()).toEqual(keys.slice(0, 1_000))
})
