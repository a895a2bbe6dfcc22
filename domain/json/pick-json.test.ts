import { describe, expect, test } from 'vitest'
import { jsonPicker, NotJson, UnreadableJson, type Wanted } from './pick-json.ts'

const wanted: Wanted = { a: true, b: { c: true, d: [{ e: true, f: { g: true } }] }, l: [true] }

/** In pieces of this length, so that each state is left and entered in the middle. */
const pick = (text: string | Buffer, pieceBytes = Infinity, parts: Wanted = wanted) => {
  const picker = jsonPicker(parts)
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += pieceBytes)
    picker.add(bytes.subarray(at, at + Math.min(pieceBytes, bytes.length)))
  return picker.end()
}

describe('jsonPicker', () => {
  const cases: ReadonlyArray<[text: string, found: unknown]> = [
    ['{"a":"x"}', { a: 'x' }],
    [' { "z" : [ { "a" : "no" } ] , "a" : -1.5e3 }\n', { a: -1500 }],
    ['{"a":true,"b":{"c":false,"x":{"c":"no"}}}', { a: true, b: { c: false } }],
    [
      '{"b":{"d":[{"e":"1"},{"f":{"g":"2"},"y":[[]]},7,"s",[],null]}}',
      {
        b: { d: [{ e: '1' }, { f: { g: '2' } }] },
      },
    ],
    ['{"l":["x",1,null,{"a":2},[3],"y"]}', { l: ['x', 1, 'y'] }],
    ['{"a":"q\\"u\\\\o\\u0074e"}', { a: 'q"u\\ote' }],
    // The name of a field may be escaped, and no text ends at an escaped quote.
    ['{"\\u0061":"x","z":"}\\"]{\\\\"}', { a: 'x' }],
    ['{"a":"é€😀"}', { a: 'é€😀' }],
    ['{"a":{"a":"no"},"b":[],"l":{}}', {}],
    ['{"a":null}', {}],
    ['{"constructor":{"prototype":1},"__proto__":{"a":2}}', {}],
    ['{}', {}],
    ['[]', undefined],
    ['"x"', undefined],
    ['null', undefined],
  ]
  test.each(cases)('%s', (text, found) => {
    expect(() => JSON.parse(text)).not.toThrow()
    for (const pieceBytes of [Infinity, 1, 2, 3, 7]) expect(pick(text, pieceBytes)).toEqual(found)
  })

  test.each([
    '',
    ' ',
    'payload=%7B%7D',
    '{',
    '{"a":"x"',
    '{"a":"x',
    '{"a" "x"}',
    '{"a":}',
    '{"a":tru}',
    '{"a":"x",}',
    '{"a":"x"}}',
    '{"a":"x"},',
    '{"a":"x"}{"a":"y"}',
    '{"l":[1 2]}',
    '{"l":[1,]}',
    '{"l":[1}',
    '{a:1}',
    '{"a":"\u0001"}',
    '{"z":[[]}',
  ])('%s is not JSON', (text) => {
    for (const pieceBytes of [Infinity, 1]) expect(() => pick(text, pieceBytes)).toThrow(NotJson)
  })

  test('a field that is there twice is refused: another reader could take the other one', () => {
    expect(() => pick('{"a":"x","\\u0061":"y"}')).toThrow('has the field a twice')
    expect(() => pick('{"b":{},"b":{"c":1}}')).toThrow('has the field b twice')
    expect(pick('{"z":1,"z":2}')).toEqual({})
  })

  test('long texts and further items are passed over, and too many fields are refused', () => {
    const long = 'x'.repeat(5_000)
    expect(pick(JSON.stringify({ a: long, b: { c: 'y' }, [long]: 1 }))).toEqual({ b: { c: 'y' } })
    const { l } = pick(JSON.stringify({ l: Array(5_000).fill('y') })) as { l: string[] }
    expect(l).toHaveLength(1_000)
    const fields = Object.fromEntries(Array.from({ length: 20_001 }, (_, n) => [`f${n}`, 0]))
    expect(() => pick(JSON.stringify(fields))).toThrow(UnreadableJson)
    expect(pick(JSON.stringify({ z: fields, a: 1 }))).toEqual({ a: 1 })
  })

  test('a caller may have more items and fields read', () => {
    const text = JSON.stringify({ l: Array(5_000).fill('y') })
    const picker = jsonPicker(wanted, { maxItems: 3_000, maxFields: 1 })
    picker.add(Buffer.from(text))
    expect(picker.end()).toEqual({ l: Array(3_000).fill('y') })
    expect(() =>
      jsonPicker(wanted, { maxItems: 1, maxFields: 1 }).add(Buffer.from('{"a":1,"z":2}')),
    ).toThrow('has more than 1 fields to be read')
  })

  test('a text that is wanted, or a key, has no control character, in one piece or more', () => {
    for (const pieceBytes of [Infinity, 1])
      for (const text of ['{"a":"x\u0001"}', '{"a\n":1}', '{"a":"\\\n"}'])
        expect(() => pick(text, pieceBytes)).toThrow(NotJson)
  })

  test('what is passed over may be nested a million levels deep', () => {
    const deep = `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`
    expect(pick(`{"z":${deep},"a":"x"}`, 65_536)).toEqual({ a: 'x' })
  })
})
