import { expect, test } from 'vitest'
import { toldAfterFold } from './told-after-fold.ts'

const one = (id: number, parentId: number | null, toldImpact: string | null) => ({
  id,
  parentId,
  toldImpact,
})
const after = (
  folded: ReadonlyArray<ReturnType<typeof one>>,
  parents: Array<[number, number | null]>,
) => [...toldAfterFold(folded, new Map(parents))]

test('one that takes the place of the one above it takes over what was told of both', () => {
  const replaced: Array<[number, number | null]> = [
    [1, 2],
    [2, null],
  ]
  expect(after([one(1, null, '500'), one(2, 1, null)], replaced)).toEqual([[2, 500]])
  expect(after([one(1, null, '500'), one(2, 1, '40')], replaced)).toEqual([[2, 500]])
  expect(after([one(1, null, '500'), one(2, 1, '700')], replaced)).toEqual([])
})

test('two that were told apart count as told with both amounts, once', () => {
  const parents: Array<[number, number | null]> = [
    [1, null],
    [2, 1],
    [3, 1],
  ]
  const apart = [one(1, null, '100'), one(2, null, '10000'), one(3, null, '5')]
  expect(after(apart, parents)).toEqual([[1, 10_105]])
  expect(after([one(1, null, '10105'), one(2, 1, '10000'), one(3, 1, '5')], parents)).toEqual([])
})

test('one that nobody was told of stays so; what was told of one below it is no news of it', () => {
  const parents: Array<[number, number | null]> = [
    [1, null],
    [2, 1],
  ]
  expect(after([one(1, null, null), one(2, null, '300')], parents)).toEqual([])
  expect(after([one(1, null, '100'), one(2, null, null)], parents)).toEqual([])
})

test('one that replaces another and is joined by a third has what was told of all', () => {
  const folded = [one(3, null, '70'), one(1, null, '500'), one(2, 1, null)]
  expect(
    after(folded, [
      [3, 2],
      [1, 2],
      [2, null],
    ]),
  ).toEqual([[2, 570]])
})
