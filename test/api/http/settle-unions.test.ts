import { Ajv } from 'ajv'
import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { settleUnions } from '../../../api/http/settle-unions.ts'
import { validationFault } from '../../../api/http/validation-fault.ts'

const Source = Type.Union([
  Type.Object({ kind: Type.Literal('inline') }, { additionalProperties: false }),
  Type.Object(
    { kind: Type.Literal('git'), repo: Type.Optional(Type.String({ minLength: 1 })) },
    { additionalProperties: false },
  ),
])
const Body = Type.Object({
  source: Type.Optional(Source),
  vars: Type.Optional(
    Type.Record(
      Type.String(),
      Type.Union([Type.String({ maxLength: 3 }), Type.Number(), Type.Boolean()]),
    ),
  ),
  workspaces: Type.Optional(
    Type.Union([
      Type.Unsafe({ type: 'string', enum: ['all', 'production'] }),
      Type.Array(Type.Integer(), { minItems: 1 }),
    ]),
  ),
  limit: Type.Optional(Type.Unsafe({ type: ['number', 'null'] })),
})
const check = new Ajv({ allErrors: true, strict: false }).compile(Body)

test.each([
  [{ source: { kind: 'svn' } }, ['source.kind: must be "inline" or "git"']],
  [{ source: { kind: 'git', foo: 1 } }, ['source.foo: is not a field of this request']],
  [{ source: { kind: 'git', repo: '' } }, ['source.repo: must NOT have fewer than 1 characters']],
  [{ source: {} }, ['source.kind: is required']],
  [{ source: 'git' }, ['source: must be object']],
  [{ vars: { a: null } }, ['vars.a: must be string, number or boolean']],
  [{ vars: { a: 'long' } }, ['vars.a: must NOT have more than 3 characters']],
  [
    { vars: { a: null, b: null, c: 'long' } },
    [
      'vars.a: must be string, number or boolean',
      'vars.b: must be string, number or boolean',
      'vars.c: must NOT have more than 3 characters',
    ],
  ],
  [{ workspaces: 'some' }, ['workspaces: must be "all", "production" or array']],
  [{ workspaces: [] }, ['workspaces: must NOT have fewer than 1 items']],
  [{ workspaces: ['a'] }, ['workspaces.0: must be integer']],
  [{ workspaces: null }, ['workspaces: must be string or array']],
  [{ limit: '5' }, ['limit: must be number or null']],
  [
    { limit: 'x', source: { kind: 'svn' } },
    ['source.kind: must be "inline" or "git"', 'limit: must be number or null'],
  ],
])('%j', (body, told) => {
  expect(check(body)).toBe(false)
  const { details = [], message } = validationFault(check.errors ?? [])
  expect(details.map((detail) => `${detail.path}: ${detail.message}`)).toEqual(told)
  expect(message).toBe(told[0])
})

test('of 40,000 faults the first are told, without comparing each with all others', () => {
  const source = {
    kind: 'x',
    ...Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`k${n}`, 0])),
  }
  expect(check({ source })).toBe(false)
  expect(check.errors?.length).toBeGreaterThan(39_000)
  expect(settleUnions(check.errors ?? []).length).toBeLessThanOrEqual(500)
  expect(validationFault(check.errors ?? []).details).toHaveLength(20)
})
