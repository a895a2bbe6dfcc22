import { expect, test } from 'vitest'
import { canonicalJson } from './canonical-json.ts'

test('the order of members does not count, at any depth; that of a list does', () => {
  const one = { b: [{ y: 1, x: 'é' }, null], a: { d: true, c: 1e21 } }
  const other = { a: { c: 1e21, d: true }, b: [{ x: 'é', y: 1 }, null] }
  expect(canonicalJson(one)).toBe('{"a":{"c":1e+21,"d":true},"b":[{"x":"é","y":1},null]}')
  expect(canonicalJson(other)).toBe(canonicalJson(one))
  expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]))
})

test('the example of RFC 8785, section 3.2.3', () => {
  const names = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\u{1f600}': 5, '\u0080': 6, ö: 7 }
  expect([...canonicalJson(names).matchAll(/:(\d)/g)].map(([, n]) => n).join('')).toBe('2467153')
})

test('a member that is undefined is none, and a number is no text', () => {
  expect(canonicalJson({ a: undefined, b: 1 })).toBe('{"b":1}')
  expect(canonicalJson({ a: '1' })).not.toBe(canonicalJson({ a: 1 }))
})
