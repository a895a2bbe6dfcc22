import { Type } from 'typebox'
import { Check } from 'typebox/value'
import type { ProgramReply } from './program/protocol.ts'

const closed = { additionalProperties: false }
const count = Type.Integer({ minimum: 0 })
const amount = Type.String({ pattern: '^-?\\d{1,18}\\.\\d{12}$' })
const day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' })
const message = (maxLength: number) => Type.String({ maxLength })

const slice = Type.Object(
  {
    period: Type.String({ pattern: '^20\\d{2}-(0[1-9]|1[0-2])$' }),
    path: message(4_096),
    rows: count,
    rowsRead: count,
    days: count,
    billed: amount,
    effective: amount,
    list: amount,
    currency: Type.Union([message(40), Type.Null()]),
    firstDay: day,
    lastDay: day,
  },
  closed,
)

const Answer = Type.Union([
  Type.Object(
    {
      kind: Type.Literal('read'),
      focusVersion: message(10),
      slices: Type.Array(slice, { maxItems: 1_300 }),
      rejected: Type.Literal(0),
    },
    closed,
  ),
  Type.Object(
    {
      kind: Type.Literal('refused'),
      rejected: count,
      errors: Type.Array(
        Type.Object(
          {
            file: message(2_000),
            row: Type.Union([count, Type.Null()]),
            column: Type.Union([message(300), Type.Null()]),
            message: message(500),
          },
          closed,
        ),
        { minItems: 1, maxItems: 10 },
      ),
    },
    closed,
  ),
  Type.Object({ kind: Type.Literal('disk_full') }, closed),
])

/** The program has read a stranger's bytes: an attacker who took it over could answer anything. */
export function readAnswer(stdout: Buffer): ProgramReply {
  let answer: unknown
  try {
    answer = JSON.parse(stdout.toString())
  } catch {
    throw new Error('The reader of bills did not answer JSON')
  }
  if (!Check(Answer, answer)) throw new Error('The reader of bills did not answer as it should')
  return answer
}
