import { describe, expect, test } from 'vitest'
import type { AnyRunDetail } from '../api/types.ts'
import {
  blockedReleaseWords,
  progressWords,
  sizeWords,
  triggerWords,
  warningWords,
  whatItReleases,
} from './release-words.ts'

const hosts = {
  total: 22,
  pending: 20,
  updating: 0,
  healthy: 0,
  failed: 0,
  rolledBack: 0,
  unreachable: 2,
}
const deployment = {
  strategy: 'canary',
  batch: 0,
  batches: 3,
  hosts,
  confirm: null,
  rolledBackTo: null,
  runId: null,
}
const commits = [{ sha: 'a', author: 'Ann', message: 'one' }]
const blocked = (kind: string, whoCanAct: string[] = []) =>
  ({
    kind,
    whoCanAct,
    id: null,
    holder: null,
    reason: null,
    since: null,
  }) as AnyRunDetail['blockedBy']

describe('the words of a release', () => {
  test('say what it brings where', () => {
    expect(whatItReleases({ commits, commitsTruncated: false, deployment, rollbackOf: null })).toBe(
      'It brings 1 commit to 20 hosts in canary, 3 batches. 2 hosts are offline and catch up when they return.',
    )
    expect(
      whatItReleases({
        commits: [],
        commitsTruncated: false,
        deployment: { ...deployment, hosts: { ...hosts, unreachable: 1, pending: 1 }, batches: 1 },
        rollbackOf: 3,
      }),
    ).toBe(
      'It brings an earlier release back to 1 host in canary, 1 batch. 1 host is offline and catches up when it returns.',
    )
    expect(
      whatItReleases({
        commits,
        commitsTruncated: true,
        deployment: null,
        rollbackOf: null,
      }),
    ).toBe('It brings more than 1 commit.')
  })

  test('say how far it is', () => {
    expect(progressWords({ ...deployment, batch: 2 })).toBe('batch 2 of 3 (canary)')
  })

  test('say what started it', () => {
    const author = { id: 1, label: 'ann@example.com' }
    const commit = { sha: 'a', branch: 'main', tag: 'v1', message: null, author: null, at: null }
    const by = (kind: 'push' | 'tag' | 'manual' | 'rollback') =>
      triggerWords({ trigger: { kind, id: null }, commit, author })
    expect([by('push'), by('tag'), by('manual'), by('rollback')]).toEqual([
      'a push to main',
      'the tag v1',
      'ann@example.com',
      'ann@example.com, to go back',
    ])
  })

  test('name who can act', () => {
    expect(blockedReleaseWords({ blockedBy: null, deployment })).toBeUndefined()
    expect(
      blockedReleaseWords({
        blockedBy: blocked('agent', ['Ann', 'Ben', 'Cleo', 'Dan']),
        deployment,
      }),
    ).toMatch(/Ann, Ben, Cleo and 1 more can add one\.$/)
    expect(blockedReleaseWords({ blockedBy: blocked('approval'), deployment })).toBe(
      'Nobody here may approve it now.',
    )
    expect(
      blockedReleaseWords({
        blockedBy: blocked('approval', ['Ann']),
        deployment: { ...deployment, batch: 1, confirm: 1 },
      }),
    ).toBe('Ann can let it go on.')
  })

  test('a warning that is not known is said without its code', () => {
    expect(warningWords('hosts_failed')).toMatch(/^Some hosts failed/)
    expect(warningWords('clock_is_wrong')).toBe('Clock is wrong.')
  })

  test('sizes have three digits at most', () => {
    expect([0, 1, 1023, 1024, 20_971_520, 2 ** 31, 1_600_000].map(sizeWords)).toEqual([
      '0 B',
      '1 B',
      '1,023 B',
      '1 KiB',
      '20 MiB',
      '2 GiB',
      '1.5 MiB',
    ])
  })
})
