import { expect, test } from 'vitest'
import type { Run } from '../api/types.ts'
import { isKept, sourcesOf } from './promotable.ts'

const now = Date.parse('2026-05-01T12:00:00Z')
const run = (artifact: object | null) => ({ artifact }) as Pick<Run, 'artifact'>

test('an artifact is kept until its time is over', () => {
  expect(isKept(run({ keptUntil: null }), now)).toBe(true)
  expect(isKept(run({ keptUntil: '2026-05-01T12:00:01Z' }), now)).toBe(true)
  expect(isKept(run({ keptUntil: '2026-05-01T11:59:59Z' }), now)).toBe(false)
  expect(isKept(run(null), now)).toBe(false)
  expect(isKept({}, now)).toBe(false)
})

test('artifacts come from pipelines of the same repository, of others first', () => {
  const pipeline = (id: number, appGitConnectionId: number | null, appRepo: string) => ({
    id,
    appGitConnectionId,
    appRepo,
  })
  const own = pipeline(1, 4, 'acme/shop')
  const all = [
    own,
    pipeline(2, 4, 'acme/web'),
    pipeline(3, 4, 'acme/shop'),
    pipeline(5, 9, 'acme/shop'),
  ]
  expect(sourcesOf(own, all).map(({ id }) => id)).toEqual([3, 1])
  // Two pipelines whose connections were disconnected have no source in common.
  const lost = pipeline(6, null, 'acme/shop')
  expect(sourcesOf(lost, [lost, pipeline(7, null, 'acme/shop')])).toEqual([])
})
