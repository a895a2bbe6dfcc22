import { describe, expect, test } from 'vitest'
import { offsetsOf, piecesOf, rangeOf } from './windowed.ts'

describe('the rows near the window', () => {
  const offsets = offsetsOf(10, (at) => (at === 3 ? 100 : 10))

  test('are those between two heights', () => {
    expect(offsets.at(-1)).toBe(190)
    expect(rangeOf(offsets, 0, 25)).toEqual({ first: 0, end: 3 })
    expect(rangeOf(offsets, 35, 95)).toEqual({ first: 3, end: 4 })
    expect(rangeOf(offsets, -500, -10)).toEqual({ first: 0, end: 0 })
    expect(rangeOf(offsets, 900, 990)).toEqual({ first: 10, end: 10 })
  })

  test('gaps take the place of the others, so that the list keeps its height', () => {
    const pieces = piecesOf(offsets, { first: 3, end: 5 }, 8)
    expect(pieces).toEqual([
      { gap: 30, before: 3 },
      { at: 3 },
      { at: 4 },
      { gap: 30, before: 8 },
      { at: 8 },
      { gap: 10, before: 10 },
    ])
  })

  test('the row with the focus stays, and one that is gone is forgotten', () => {
    expect(piecesOf(offsets, { first: 5, end: 6 }, 0)).toContainEqual({ at: 0 })
    expect(piecesOf(offsets, { first: 5, end: 6 }, -1)).toHaveLength(3)
    expect(
      piecesOf(
        offsetsOf(0, () => 0),
        { first: 0, end: 0 },
        4,
      ),
    ).toEqual([])
  })

  test('50,000 rows are laid out at once', () => {
    const many = offsetsOf(50_000, () => 32)
    expect(rangeOf(many, 1_000_000, 1_000_900)).toEqual({ first: 31_250, end: 31_279 })
  })
})
