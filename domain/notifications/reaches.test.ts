import { expect, test } from 'vitest'
import type { Announcement } from './announcement.ts'
import { reaches, type ChannelFilter } from './reaches.ts'

const all: ChannelFilter = {
  events: ['*'],
  scopeKind: null,
  scopeValue: null,
  minimumImpact: null,
}
const anomaly: Announcement = {
  event: 'anomaly.opened',
  subject: { kind: 'anomaly', id: 1, label: 'aws AmazonEC2' },
  title: 'AmazonEC2 costs more than expected',
  impact: '100.5',
  scope: {
    provider: 'aws',
    service: 'AmazonEC2',
    accountId: 7,
    subAccountId: '123456789012',
    workspaceIds: [3, 4],
    tags: ['team=web'],
  },
}
const told = (filter: Partial<ChannelFilter>, about = anomaly) =>
  reaches({ ...all, ...filter }, about)

test('a channel gets the events that it names', () => {
  expect(told({})).toBe(true)
  expect(told({ events: ['budget.*', 'anomaly.opened'] })).toBe(true)
  expect(told({ events: ['budget.*'] })).toBe(false)
  expect(told({ events: [] })).toBe(false)
})

test('a provider is the same by its name on the bill, and untagged is a scope', () => {
  const provider = (scopeValue: string) => told({ scopeKind: 'provider', scopeValue })
  expect(['aws', 'Amazon Web Services', 'azure'].map(provider)).toEqual([true, true, false])
  const untagged = { ...anomaly, scope: { tags: ['untagged'] } }
  const filter = { scopeKind: 'tag', scopeValue: 'untagged' } as const
  expect([told(filter, untagged), told(filter)]).toEqual([true, false])
})

test('the minimum is compared exactly, and an event without an impact is under none', () => {
  expect(told({ minimumImpact: '100.5' })).toBe(true)
  expect(told({ minimumImpact: '100.500000000001' })).toBe(false)
  const { impact: _, ...without } = anomaly
  expect(told({ minimumImpact: '1000' }, without)).toBe(true)
})

test.each([
  ['all', null, true],
  ['provider', 'AWS', true],
  ['provider', 'gcp', false],
  ['service', 'amazonec2', true],
  ['service', 'AmazonS3', false],
  ['account', '7', true],
  ['account', '8', false],
  ['subAccount', '123456789012', true],
  ['subAccount', '123456789013', false],
  ['workspace', '4', true],
  ['workspace', '5', false],
  ['tag', 'team=web', true],
  ['tag', 'team=ops', false],
] as const)('scope %s %s', (scopeKind, scopeValue, expected) => {
  expect(told({ scopeKind, scopeValue })).toBe(expected)
})

test('an event that names no scope reaches no channel with one', () => {
  const { scope: _, ...without } = anomaly
  expect(told({ scopeKind: 'provider', scopeValue: 'aws' }, without)).toBe(false)
  expect(told({ scopeKind: 'workspace', scopeValue: '3' }, without)).toBe(false)
  expect(told({ scopeKind: 'all' }, without)).toBe(true)
})
