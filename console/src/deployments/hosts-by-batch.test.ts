import { describe, expect, test } from 'vitest'
import type { RunHost } from '../api/types.ts'
import { countWords, hookWords, hostItems } from './hosts-by-batch.ts'

const host = (id: number, batch: number | null, state: RunHost['state']): RunHost => ({
  agent: { id, name: `web-${id}` },
  state,
  batch,
  release: null,
  hooks: [],
  message: null,
  startedAt: null,
  endedAt: null,
})
const shown = (items: ReturnType<typeof hostItems>) =>
  items.map((item) => (item.kind === 'head' ? `${item.title} (${item.count})` : item.key))

describe('the hosts of a deployment', () => {
  const hosts = [
    host(9, null, 'unreachable'),
    host(1, 2, 'updating'),
    host(2, 1, 'healthy'),
    host(3, 1, 'failed'),
    host(4, null, 'pending'),
    host(5, 10, 'pending'),
  ]

  test('are below their batch: to come after those that began, offline ones last', () => {
    expect(shown(hostItems(hosts, { q: '', state: undefined }))).toEqual([
      'Batch 1 (2)',
      '2',
      '3',
      'Batch 2 (1)',
      '1',
      'Batch 10 (1)',
      '5',
      'Not begun (1)',
      '4',
      'Offline when it began (1)',
      '9',
    ])
  })

  test('are narrowed by name and state, and a batch without a host has no head', () => {
    expect(shown(hostItems(hosts, { q: 'WEB-3', state: undefined }))).toEqual(['Batch 1 (1)', '3'])
    expect(shown(hostItems(hosts, { q: '', state: 'updating' }))).toEqual(['Batch 2 (1)', '1'])
    expect(hostItems(hosts, { q: 'db', state: undefined })).toEqual([])
  })

  test('show their hooks with their times, and how one failed', () => {
    const hook = (name: string, state: string, exitCode: number | null) => ({
      name,
      state,
      exitCode,
      durationMs: 1_500,
    })
    expect(
      hookWords(
        [
          hook('install', 'succeeded', 0),
          hook('activate', 'failed', 3),
          hook('health', 'failed', null),
          hook('rollback', 'running', null),
        ],
        (ms) => `${ms} ms`,
      ),
    ).toBe('install 1500 ms, activate failed (exit 3), health failed, rollback runs')
  })

  test('are counted in words', () => {
    const none = { healthy: 0, updating: 0, pending: 0, failed: 0, rolledBack: 0, unreachable: 0 }
    expect(countWords({ ...none, total: 1_200, healthy: 1_000, failed: 200 })).toBe(
      '1,200 hosts · 1,000 healthy · 200 failed',
    )
    expect(countWords({ ...none, total: 0 })).toBe('0 hosts')
  })
})
