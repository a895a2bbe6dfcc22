import { expect, test } from 'vitest'
import { cleanResource } from './clean-resource.ts'

const resource = { cloudId: 'arn:1', service: 's', type: 't', name: 'n', region: 'r', tags: {} }

test('NUL and lone surrogates, which jsonb refuses, are replaced; other Unicode stays', () => {
  const tags = { 'a\0b': 'x\u{D800}', 'ключ 🔑': '', é: '値' }
  expect(cleanResource({ ...resource, tags }).tags).toEqual({
    'a\u{FFFD}b': 'x\u{FFFD}',
    é: '値',
    'ключ 🔑': '',
  })
})

test('the order of tags is no difference', () => {
  const one = cleanResource({ ...resource, tags: { b: '1', a: '2' } })
  const two = cleanResource({ ...resource, tags: { a: '2', b: '1' } })
  expect(JSON.stringify(one)).toBe(JSON.stringify(two))
})

test('a cloud id of 2,000 characters stays whole; a region of 2,000 is cut to an index entry', () => {
  const long = '値'.repeat(2_000)
  const { cloudId, region } = cleanResource({ ...resource, cloudId: long, region: long })
  expect(cloudId).toBe(long)
  expect(Buffer.byteLength(region)).toBeLessThanOrEqual(600)
})
