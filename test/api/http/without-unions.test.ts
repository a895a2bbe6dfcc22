import buildSerializer from 'fast-json-stringify'
import { describe, expect, test } from 'vitest'
import { withoutUnions } from '../../../api/http/without-unions.ts'

const object = (properties: object, required: string[] = []) => ({
  type: 'object',
  properties,
  required,
})
const text = { type: 'string' }
const only = (value: string) => ({ type: 'string', enum: [value] })

describe('answers without anyOf', () => {
  test('scalars are written as they are', () => {
    const id = { anyOf: [{ type: 'integer' }, text, { type: 'null' }], description: 'An id.' }
    expect(withoutUnions(object({ id }))).toEqual(object({ id: { description: 'An id.' } }))
    const write = buildSerializer(withoutUnions(object({ id })) as object)
    for (const value of [1, 'a"b', null])
      expect(write({ id: value })).toBe(JSON.stringify({ id: value }))
  })

  test('objects become one that has the fields of all, and requires those that all require', () => {
    const items = {
      anyOf: [
        object({ code: only('one'), total: { type: 'integer' } }, ['code', 'total']),
        object({ code: only('two'), name: text }, ['code', 'name']),
      ],
    }
    const list = { type: 'array', items }
    expect(withoutUnions(list)).toEqual({
      type: 'array',
      items: object({ code: text, total: { type: 'integer' }, name: text }, ['code']),
    })
    const write = buildSerializer(withoutUnions(list) as object)
    const answer = [
      { code: 'one', total: 2 },
      { code: 'two', name: 'x' },
    ]
    expect(write(answer)).toBe(JSON.stringify(answer))
    expect(write([{ code: 'one', total: 2, secret: 'y' }])).toBe('[{"code":"one","total":2}]')
  })

  test('what one shape cannot stand for is left', () => {
    for (const anyOf of [
      [text, object({ name: text })],
      [object({ id: text }), object({ id: { type: 'integer' } })],
      [object({ id: text }), { ...object({}), additionalProperties: text }],
      [text, { type: 'array', items: text }],
      [{ type: 'string', format: 'date-time' }, { type: 'null' }],
    ])
      expect(withoutUnions({ anyOf })).toEqual({ anyOf })
  })
})
