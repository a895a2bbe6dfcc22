import { describe, expect, test } from 'vitest'
import type { Attribute } from './plan.ts'
import { formOf, startOfDifference } from './value-form.ts'

const attribute = (fields: Partial<Attribute>): Attribute => ({
  path: 'x',
  before: null,
  after: null,
  sensitive: false,
  unknown: false,
  ...fields,
})

describe('how a value is shown', () => {
  test('JSON by path, texts by line, all else plainly', () => {
    expect(formOf(attribute({ before: '{"a":1}', after: '{"a":2}' })).form).toBe('json')
    expect(formOf(attribute({ before: 'a\nb\n', after: 'a\nc\n' }))).toEqual({
      form: 'lines',
      hunks: [
        {
          line: 1,
          lines: [
            { kind: 'same', text: 'a' },
            { kind: 'removed', text: 'b' },
            { kind: 'added', text: 'c' },
            { kind: 'same', text: '' },
          ],
        },
      ],
    })
    expect(formOf(attribute({ before: 'a', after: 'b' })).form).toBe('plain')
    expect(formOf(attribute({ before: 1, after: '{"a":1}' })).form).toBe('plain')
  })

  test('a new value with lines, and a new JSON text, are whole texts', () => {
    expect(formOf(attribute({ after: 'a\nb' }))).toEqual({
      form: 'texts',
      before: undefined,
      after: 'a\nb',
    })
    expect(formOf(attribute({ before: '[1]' }))).toMatchObject({ before: '[\n  1\n]' })
    // What it becomes is not known, and not nothing.
    expect(
      formOf(attribute({ before: 'a\nb', after: '(known after apply)', unknown: true })),
    ).toEqual({
      form: 'texts',
      before: 'a\nb',
      after: undefined,
    })
  })

  test('a masked value is never read as JSON or lines', () => {
    const masked = attribute({ before: '{"a":1}', after: '{"a":2}', sensitive: true })
    expect(formOf(masked)).toEqual({ form: 'plain' })
  })

  test('ends of lines alone are a difference that is seen', () => {
    expect(formOf(attribute({ before: 'a\nb', after: 'a\r\nb' }))).toEqual({ form: 'plain' })
  })

  test('2 MB of lines that all differ are not compared, and do not hang', () => {
    const of = (letter: string) => `${letter}\n`.repeat(500_000)
    expect(formOf(attribute({ before: of('abc'), after: of('xyz') })).form).toBe('texts')
  })

  test('the difference of two long texts is in sight', () => {
    const same = 'x'.repeat(5_000)
    expect(startOfDifference(`${same}a`, `${same}b`)).toBe(4_920)
    expect(startOfDifference('a', 'b')).toBe(0)
  })
})
