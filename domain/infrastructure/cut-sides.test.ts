import { describe, expect, test } from 'vitest'
import { cutSides } from './cut-sides.ts'
import { splitPlan } from './split-plan.ts'
import { testPlan } from './test-plan.ts'

const attributesOf = (before: unknown, after: unknown) => {
  const [row] = [...splitPlan(testPlan([{ actions: ['update'], before, after }])).rows]
  return row?.attributes ?? []
}

describe('both sides of a long value', () => {
  test('keep what differs, also behind a long equal text', () => {
    const same = 'x'.repeat(50_000)
    const { before, after, cut } = cutSides(`${same}allow`, `${same}deny`, 1_000)
    expect(cut).toBe(true)
    expect(before).toBe(`…${'x'.repeat(200)}allow`)
    expect(after).toBe(`…${'x'.repeat(200)}deny`)
  })

  test('keep their begin where they differ early, and where there is one text alone', () => {
    const long = 'x'.repeat(5_000)
    expect(cutSides(`a${long}`, `b${long}`, 1_000).before).toBe(`a${'x'.repeat(999)}…`)
    expect(cutSides(null, long, 1_000)).toEqual({
      before: null,
      after: `${'x'.repeat(1_000)}…`,
      cut: true,
    })
    expect(cutSides(1, true, 1_000)).toEqual({ before: 1, after: true, cut: false })
  })

  test('are whole characters', () => {
    const same = '😀'.repeat(2_000)
    for (const text of Object.values(cutSides(`${same}a`, `${same}b`, 1_005)))
      expect(String(text)).not.toContain('\uFFFD')
  })

  test('a policy of 12,000 characters is whole, and a text of 2 MB is cut in the row', () => {
    const policy = 'p'.repeat(12_000)
    expect(attributesOf({ policy }, { policy: `${policy}!` })).toMatchObject([
      { before: policy, after: `${policy}!` },
    ])
    const huge = 'h'.repeat(2_000_000)
    const [attribute] = attributesOf({ huge }, { huge: `${huge}!` })
    expect(attribute?.cut).toBe(true)
    expect(String(attribute?.after)).toMatch(/^…h+!$/)
  })

  test('no attribute is left out for a longer value', () => {
    const long = Object.fromEntries(
      Array.from({ length: 40 }, (_, n) => [`a${n}`, 'x'.repeat(20_000)]),
    )
    const attributes = attributesOf({}, long)
    expect(attributes).toHaveLength(40)
    expect(attributes.filter(({ after }) => String(after).length > 10_000)).toHaveLength(1)
    expect(Buffer.byteLength(JSON.stringify(attributes))).toBeLessThan(65_536)
  })
})
