import { describe, expect, test } from 'vitest'
import { stateAfter, type HostAction } from './state-after.ts'

const fresh = { digest: 'sha256:new', runId: 9 }
const old = { digest: 'sha256:old', runId: 4 }
const of = { own: fresh, asked: fresh.digest, before: old.digest }
const after = (action: HostAction, ok: boolean, release: typeof old | null) =>
  stateAfter({ action, ok, release }, of)

describe('stateAfter', () => {
  test('a good result of each action', () => {
    expect(after('deploy', true, fresh)).toEqual({
      state: 'healthy',
      runsNew: true,
      contradicts: false,
    })
    expect(after('activate', true, fresh)).toMatchObject({ state: 'healthy', runsNew: true })
    expect(after('install', true, old)).toEqual({
      state: 'staged',
      runsNew: false,
      contradicts: false,
    })
    expect(after('install', true, null)).toMatchObject({ state: 'staged', runsNew: false })
    expect(
      stateAfter({ action: 'rollback', ok: true, release: old }, { ...of, asked: old.digest }),
    ).toEqual({ state: 'rolled_back', runsNew: false, contradicts: false })
  })

  test('a bad result leaves what runs', () => {
    expect(after('deploy', false, old)).toMatchObject({ state: 'failed', runsNew: false })
    expect(after('deploy', false, fresh)).toMatchObject({ state: 'failed', runsNew: true })
    expect(after('deploy', false, null)).toMatchObject({ state: 'failed', runsNew: false })
    expect(
      stateAfter({ action: 'rollback', ok: false, release: fresh }, { ...of, asked: old.digest }),
    ).toMatchObject({ state: 'stuck', runsNew: true })
  })

  test('an agent that says all is well beside another release is not believed', () => {
    for (const action of ['deploy', 'activate', 'verify'] as const)
      expect(after(action, true, old)).toEqual({
        state: 'failed',
        runsNew: false,
        contradicts: true,
      })
    expect(after('deploy', true, null)).toMatchObject({ state: 'failed', contradicts: true })
    expect(
      stateAfter({ action: 'rollback', ok: true, release: fresh }, { ...of, asked: old.digest }),
    ).toEqual({ state: 'stuck', runsNew: true, contradicts: true })
  })

  test('of two releases of the same bytes, the run tells which one runs', () => {
    const same = { own: fresh, asked: fresh.digest, before: fresh.digest }
    const told = (ok: boolean, runId: number | null) =>
      stateAfter({ action: 'deploy', ok, release: { digest: fresh.digest, runId } }, same).runsNew
    expect(told(false, 4)).toBe(false)
    expect(told(false, 9)).toBe(true)
    expect(told(true, null)).toBe(true)
    expect(stateAfter({ action: 'rollback', ok: true, release: fresh }, same)).toMatchObject({
      state: 'rolled_back',
      runsNew: false,
    })
  })
})
