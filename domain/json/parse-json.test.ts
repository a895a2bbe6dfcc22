import { describe, expect, test, vi } from 'vitest'
import { maxJsonDepth, maxJsonMembers } from './json-shape.ts'
import { parseJson } from './parse-json.ts'

describe('accepted bodies', () => {
  test.each([
    ['{"a":1,"b":[{"a":1},{"a":2}],"c":{"a":{}}}'],
    ['{"a":"\\"a\\":1,\\\\","b":"{\\"a\\":"}'],
    ['["a","a",{"x":"a"},"a"]'],
    ['{"emoji":"😀","pair":"\\ud83d\\ude00","slash":"\\\\u0000 \\\\ud800"}'],
    ['"text"'],
    ['{"files":{"constructor":"","toString":""},"after":{}}'],
    ['{"a":{"constructor":1,"b":{}}}'],
    [`{${Array.from({ length: 40 }, (_, i) => `"k${i}":${i}`).join(', ')}}`],
    ['['.repeat(maxJsonDepth) + ']'.repeat(maxJsonDepth)],
    [`[${'1,'.repeat(maxJsonMembers - 1)}1]`],
    // Only what stands outside of strings is counted.
    [`["${'1,{'.repeat(maxJsonMembers)}"]`],
  ])('%s is read as JSON reads it', (text) => {
    expect(parseJson(text)).toEqual({ value: JSON.parse(text) })
  })

  test('an empty text is no body', () => {
    expect(parseJson(' \n')).toEqual({})
  })
})

describe('refused bodies', () => {
  test('keys that the parser refuses are not each unescaped: the first is enough', () => {
    const keys = Array.from({ length: 1_000 }, (_, n) => `"\\x${n}":1`)
    const parse = vi.spyOn(JSON, 'parse')
    expect(parseJson(`{${keys.join(',')}}`).fault).toContain('The body is not JSON')
    expect(parse.mock.calls.length).toBeLessThan(10)
    parse.mockRestore()
  })

  test.each([
    ['the field "role" twice', '{"role":"Viewer","role":"Owner"}'],
    ['the field "a" twice', '{"a":{"x":1},"b":[1,2],"a":2}'],
    ['the field "role" twice', '{"role":1,"r\\u006fle":2}'],
    ['the field "c" twice', '[{"b":1},{"c":{},"b":[],"c":1}]'],
    [
      'the field "k0" twice',
      `{${Array.from({ length: 40 }, (_, i) => `"k${i % 39}":1`).join(',')}}`,
    ],
    ['__proto__', '{"__proto__":{"admin":true}}'],
    ['__proto__', '{"a":[{"\\u005f_proto__":1}]}'],
    ['constructor', '{"constructor":{"prototype":{}}}'],
    ['constructor', '{"a":{"\\u0063onstructor": [{}]}}'],
    ['nested deeper', '['.repeat(maxJsonDepth + 1) + ']'.repeat(maxJsonDepth + 1)],
    ['nested deeper', '{"a":'.repeat(500_000)],
    ['more than 20,000 fields and items', `[${'1,'.repeat(maxJsonMembers)}1]`],
    ['more than 20,000 fields and items', `[${'{},'.repeat(maxJsonMembers / 2)}1]`],
    [
      'more than 20,000 fields and items',
      `{"files":{${Array.from({ length: 800_000 }, (_, i) => `"${i}":""`).join(',')}}}`,
    ],
    ['NUL', '{"name":"a\\u0000b"}'],
    ['NUL', '{"a\\u0000":1}'],
    ['surrogate', '{"name":"\\ud800"}'],
    ['surrogate', '{"name":["\\uDC00\\uD800"]}'],
    ['not JSON', '{"a":1'],
    ['not JSON', '{"a'],
    ['not JSON', '{"a":1}}'],
    ['not JSON', "{'a':1}"],
  ])('%s', (words, text) => {
    const { value, fault } = parseJson(text)
    expect(fault).toContain(words)
    expect(value).toBeUndefined()
  })
})

describe('the position of a syntax error', () => {
  test.each([
    ['{"a":1', 1, 7],
    ['{\n  "a": 1,\n}', 3, 1],
    ['{\n  "a": tru\n}', 2, 8],
    ['[1,\r\n 2 3]', 2, 4],
    ["{'a':1}", 1, 2],
    ['{"a" 1}', 1, 6],
    ['{"a":"x\ny"}', 1, 6],
    ['{"a":01}', 1, 6],
    ['{"a":1}}', 1, 8],
    ['[1,]', 1, 4],
    ['nul', 1, 1],
    ['{"a":"\\x"}', 1, 6],
    [`[${'"long", '.repeat(15_000)}]`, 1, 2 + 8 * 15_000],
  ])('%#', (text, line, column) => {
    expect(parseJson(text).position).toEqual({ line, column })
  })
})
