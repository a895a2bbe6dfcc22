import { describe, expect, test } from 'vitest'
import type { Run } from '../api/types.ts'
import { lastReleaseOf, releaseGroups, spreadOf } from './what-runs-where.ts'

const run = (id: number, more: object) =>
  ({ id, state: 'succeeded', artifact: {}, deployment: {}, workspaceId: 7, ...more }) as Run

describe('the last release', () => {
  test('is the newest that was deployed well to the target of now', () => {
    const runs = [
      run(6, { state: 'running' }),
      run(5, { state: 'failed' }),
      run(4, { workspaceId: 8 }),
      run(3, {}),
      run(2, {}),
    ]
    expect(lastReleaseOf(runs, 7)?.id).toBe(3)
    expect(lastReleaseOf(runs, 9)).toBeUndefined()
  })

  test('of a pipeline without a target is the newest artifact', () => {
    const runs = [
      run(3, { workspaceId: null, artifact: null }),
      run(2, { workspaceId: null, deployment: null }),
    ]
    expect(lastReleaseOf(runs, null)?.id).toBe(2)
  })
})

describe('what runs where', () => {
  const host = (digest: string | null, runId: number | null = null) => ({
    release: digest === null ? null : { digest, runId },
  })
  const hosts = [host(null), host('a', 3), host('b', 4), host('b', 6), host(null), host(null)]

  test('counts hosts by what they run: the most common first, hosts without a release last', () => {
    expect(releaseGroups(hosts)).toEqual([
      { digest: 'b', runId: 6, count: 2 },
      { digest: 'a', runId: 3, count: 1 },
      { digest: null, runId: null, count: 3 },
    ])
  })

  test('counts the hosts that have a release', () => {
    expect(spreadOf(hosts, 'b')).toEqual({ have: 2 })
    expect(spreadOf(hosts, undefined)).toEqual({ have: 0 })
  })
})
