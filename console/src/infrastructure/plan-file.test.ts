import { describe, expect, test } from 'vitest'
import { planAsJson, planAsText } from './plan-file.ts'
import type { Attribute, Plan, PlannedResource } from './plan.ts'

const attribute = (fields: Partial<Attribute>): Attribute => ({
  path: 'size',
  before: 'small',
  after: 'large',
  sensitive: false,
  unknown: false,
  ...fields,
})

const page = (
  attributes: Attribute[],
  address = 'aws_db.main',
  fields: Partial<PlannedResource> = {},
): Plan => ({
  overview: {
    actions: { destroy: 0, replace: 0, update: 2, create: 0, read: 0, move: 0 },
    outputs: 0,
    drift: 0,
    omittedChanges: 0,
  },
  resources: [
    {
      address,
      type: 'aws_db',
      name: 'main',
      provider: 'aws',
      actions: ['update'],
      attributes,
      omittedAttributes: 1,
      ...fields,
    },
  ],
  outputs: [],
  drift: [],
  nextCursor: null,
})

const secret = attribute({
  path: 'password',
  before: null,
  after: '(sensitive value)',
  sensitive: true,
})
const later = attribute({ path: 'id', before: 'i-1', after: '(known after apply)', unknown: true })
const lines = attribute({ path: 'script', before: 'a\nb', after: 'a\nc' })

describe('the files of a plan', () => {
  test('as text', () => {
    const pages = [page([attribute({}), secret, later, lines]), page([], 'aws_db.second')]
    expect(planAsText({ title: 'Plan of Run #4 of shop', pages })).toBe(`# Plan of Run #4 of shop
Change: 2

## Change in place (2)

~ aws_db.main
    size: "small" -> "large"
    password: none -> (sensitive value)
    id: "i-1" -> (known after apply)
    script:
      - a
      - b
      + a
      + c
    1 more attribute not kept.
~ aws_db.second
    1 more attribute not kept.
`)
  })

  test('as text, what is imported and how much', () => {
    const imported = page([], 'aws_db.main', { importing: { id: 'db-\u202e1' } })
    const pages = [{ ...imported, overview: { ...imported.overview, imports: 1 } }]
    const lines = planAsText({ title: 't', pages }).split('\n')
    expect(lines).toContain('Change: 2, Imported: 1')
    expect(lines).toContain('    imported: db-\\u{202e}1')
  })

  test('no value acts on a terminal or turns the order of the text', () => {
    const hostile = attribute({ after: '\u001b[2J\u202egnp', path: 'a\u200bb' })
    const pages = [page([hostile], 'aws_db.\u202ex')]
    for (const text of [
      planAsText({ title: 't\u2066', pages }),
      planAsJson({ title: 't\u2066', pages }),
    ])
      for (const one of ['\u001b', '\u202e', '\u200b', '\u2066']) expect(text).not.toContain(one)
  })

  test('as JSON, which a program reads as it was', () => {
    const hostile = attribute({ after: 'a\u202eb\u{e0001}c', path: 'p' })
    const pages = [page([hostile]), page([], 'aws_db.second')]
    const read = JSON.parse(planAsJson({ title: 't', pages }))
    expect(read.resources.map(({ address }: { address: string }) => address)).toEqual([
      'aws_db.main',
      'aws_db.second',
    ])
    expect(read.resources[0].attributes[0].after).toBe('a\u202eb\u{e0001}c')
  })
})
