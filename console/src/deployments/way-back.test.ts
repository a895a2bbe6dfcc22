import { describe, expect, test } from 'vitest'
import type { Run } from '../api/types.ts'
import { wayBack } from './way-back.ts'

const run = (number: number, more: object = {}) =>
  ({ id: number, number, state: 'succeeded', deployment: {}, workspaceId: 7, ...more }) as Run

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
