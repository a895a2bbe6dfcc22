import { describe, expect, test } from 'vitest'
import { jsonDiff, prettyJson } from './json-diff.ts'

const diff = (before: unknown, after: unknown) =>
  jsonDiff(JSON.stringify(before), JSON.stringify(after))?.parts

describe('the difference of two JSON texts', () => {
  test('has a path for each leaf that differs, and what is not there on one side', () => {
    const before = { Version: '1', Statement: [{ Effect: 'Allow', Action: ['s3:Get'] }] }
    const after = {
      Version: '1',
      Statement: [{ Effect: 'Deny', Action: ['s3:Get', 's3:Put'] }],
      'a.b': null,
    }
    expect(diff(before, after)).toEqual([
      { path: 'Statement[0].Effect', before: '"Allow"', after: '"Deny"' },
      { path: 'Statement[0].Action[1]', before: undefined, after: '"s3:Put"' },
      { path: '["a.b"]', before: undefined, after: 'null' },
    ])
  })

  test('an element put at the front is one difference', () => {
    expect(diff(['b', 'c'], ['a', 'b', 'c'])).toEqual([
      { path: '[0]', before: undefined, after: '"a"' },
    ])
  })

  test('a list in place of an object is one difference', () => {
    expect(diff({ a: { b: 1 } }, { a: [1] })).toEqual([
      { path: 'a', before: '{"b":1}', after: '[1]' },
    ])
  })

  test('the escapes of OpenTofu’s jsonencode are read', () => {
    expect(jsonDiff('{"a":"\\u003c1"}', '{"a": "<2"}')?.parts).toEqual([
      { path: 'a', before: '"<1"', after: '"<2"' },
    ])
  })

  test.each([
    [
      'a second value of a key, of which readers take the first or the last',
      '{"a":1}',
      '{"a":2,"a":1}',
    ],
    [
      'digits that a number cannot hold',
      '{"a":12345678901234567890}',
      '{"a":12345678901234567891}',
    ],
    ['another form of a number', '{"a":1.0}', '{"a":1,"b":2}'],
    ['what is no JSON', '{"a":1', '{"a":2}'],
    ['a scalar', '1', '2'],
    ['only spaces', '{"a":1}', '{ "a": 1 }'],
    ['another order of keys alone', '{"a":1,"b":2}', '{"b":2,"a":1}'],
    ['what is nested too deep', '['.repeat(5_000) + ']'.repeat(5_000), '[]'],
  ])('is left to the texts for %s', (_what, before, after) => {
    expect(jsonDiff(before, after)).toBeUndefined()
  })

  test('names that an object inherits are plain keys', () => {
    expect(jsonDiff('{"__proto__":1}', '{"__proto__":2,"constructor":3}')?.parts).toEqual([
      { path: '__proto__', before: '1', after: '2' },
      { path: 'constructor', before: undefined, after: '3' },
    ])
  })

  test('is bounded, and counts what is left out', () => {
    const of = (by: number) =>
      JSON.stringify(Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`k${n}`, n + by])))
    const found = jsonDiff(of(0), of(1))
    expect(found?.parts).toHaveLength(200)
    expect(found?.omitted).toBe(300)
  })

  test('a JSON text is shown with line breaks', () => {
    expect(prettyJson('{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}')
    expect(prettyJson('plain')).toBeUndefined()
  })
})
