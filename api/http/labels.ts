import { Type } from 'typebox'
import type { Label } from '../../store/with-label.ts'
import { OneLine } from './one-line.ts'
import { Pattern } from './pattern.ts'

const key = '[a-z0-9][a-z0-9_./-]{0,62}'
const keyWords =
  '1 to 63 lower-case letters, digits, "_", ".", "/" and "-", of which the first is a letter or digit'
/** As in OneLine: what breaks a line or turns the text after it around. */
const value = '[^\\u0000-\\u001f\\u007f\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069]{0,100}'

/** Names and values by which things are found again. No run reads them. */
export const Labels = Type.Record(Pattern(`^${key}$`, keyWords), OneLine(100, 0), {
  maxProperties: 20,
  additionalProperties: false,
  description: `At most 20. A key is ${keyWords}.`,
})

/** What a thing is for. No run reads it. */
export const Description = OneLine(500, 0)

/** Repeated, a filter means `or`. */
export const LabelFilter = Type.Optional(
  Type.Array(Pattern(`^${key}=${value}$`, 'a label, as team=payments', { maxLength: 164 }), {
    minItems: 1,
    maxItems: 50,
  }),
)

/** The schema has let a key pass that has no equals sign, so the first one ends it. */
export const labelsIn = (filter: readonly string[] | undefined): Label[] | undefined =>
  filter?.map((text) => {
    const end = text.indexOf('=')
    return [text.slice(0, end), text.slice(end + 1)]
  })

/** Whether both have the same labels, in whatever order. */
export function isSameLabels(one: Record<string, string>, other: Record<string, string>): boolean {
  const keys = Object.keys(one)
  return (
    keys.length === Object.keys(other).length && keys.every((name) => one[name] === other[name])
  )
}
