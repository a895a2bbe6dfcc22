import { describe, expect, test } from 'vitest'
import type { Run } from '../api/types.ts'
import { earlierRelease, wayBack } from './earlier-release.ts'

const run = (number: number, more: object = {}) =>
  ({ id: number, number, state: 'succeeded', deployment: {}, workspaceId: 7, ...more }) as Run

describe('the release before a run', () => {
  const runs = [
    run(6),
    run(5, { state: 'failed' }),
    run(4, { workspaceId: 8 }),
    run(3, { deployment: null }),
    run(2),
    run(1),
  ]

  test('is the newest below it that was deployed well to its target', () => {
    expect(earlierRelease(runs, run(5))?.number).toBe(2)
    expect(earlierRelease(runs, run(7))?.number).toBe(6)
    expect(earlierRelease(runs, run(1))).toBeUndefined()
  })
})

describe('the way back', () => {
  const nowMs = Date.parse('2026-05-01T12:00:00Z')
  const at = { targetWorkspaceId: 7, newestNumber: 6, nowMs }
  const kept = { artifact: { keptUntil: null } }

  test('is to go back where a newer run exists, else to deploy again', () => {
    expect(wayBack(run(2, kept), at)).toBe('roll_back')
    expect(wayBack(run(6, kept), at)).toBe('again')
  })

  test('is not offered where it would be refused', () => {
    expect(wayBack(run(2, { artifact: null }), at)).toBeUndefined()
    expect(wayBack(run(2, { artifact: { keptUntil: '2026-05-01T11:00:00Z' } }), at)).toBeUndefined()
    expect(wayBack(run(2, kept), { ...at, targetWorkspaceId: 8 })).toBeUndefined()
    expect(wayBack(run(2, { ...kept, workspaceId: null }), at)).toBeUndefined()
    expect(
      wayBack(run(2, { ...kept, workspaceId: null }), { ...at, targetWorkspaceId: null }),
    ).toBeUndefined()
  })
})
