import { describe, expect, test } from 'vitest'
import {
  isLive,
  isSuperseded,
  mayMove,
  onCancel,
  stagesOf,
  type ApplicationPhase,
} from './application-state.ts'

const phases = [
  'queued',
  'sourcing',
  'building',
  'awaiting_approval',
  'deploy_queued',
  'deploying',
  'rolling_back',
  'succeeded',
  'failed',
  'canceled',
] as const

test('every way of a run, from phase to phase', () => {
  const ways = phases.map(
    (from) => `${from}: ${phases.filter((to) => mayMove(from, to)).join(' ')}`,
  )
  expect(ways).toEqual([
    'queued: sourcing awaiting_approval deploy_queued succeeded failed canceled',
    'sourcing: building failed canceled',
    'building: awaiting_approval deploy_queued succeeded failed canceled',
    'awaiting_approval: deploy_queued failed canceled',
    'deploy_queued: awaiting_approval deploying failed canceled',
    'deploying: rolling_back succeeded failed canceled',
    'rolling_back: failed',
    'succeeded: ',
    'failed: ',
    'canceled: ',
  ])
})

test('from every live phase an end is reached, and none is left', () => {
  for (const from of phases.filter(isLive)) {
    const seen = new Set<ApplicationPhase>([from])
    for (const phase of seen) for (const to of phases) if (mayMove(phase, to)) seen.add(to)
    expect(seen.has('failed')).toBe(true)
  }
})

test('the stages of a run', () => {
  const shown = (...at: Parameters<typeof stagesOf>) => Object.values(stagesOf(...at)).join(' ')
  const own = { hasArtifact: false }
  expect(shown('queued', own)).toBe('queued pending pending')
  expect(shown('building', own)).toBe('succeeded running pending')
  expect(shown('awaiting_approval', own)).toBe('succeeded succeeded waiting')
  expect(shown('deploying', own)).toBe('succeeded succeeded running')
  expect(shown('sourcing', { ...own, ended: 'failed' })).toBe('failed skipped skipped')
  expect(shown('building', { ...own, ended: 'canceled' })).toBe('succeeded canceled skipped')
  expect(shown('building', { ...own, ended: 'succeeded' })).toBe('succeeded succeeded succeeded')
  expect(shown('awaiting_approval', { ...own, ended: 'failed' })).toBe('succeeded succeeded failed')
  expect(shown('rolling_back', { ...own, ended: 'failed' })).toBe('succeeded succeeded failed')
  const promoted = { hasArtifact: true }
  expect(shown('queued', promoted)).toBe('skipped skipped queued')
  expect(shown('deploying', promoted)).toBe('skipped skipped running')
  expect(shown('queued', { ...promoted, ended: 'canceled' })).toBe('skipped skipped canceled')
})

test('what a cancel does', () => {
  expect(phases.map((phase) => onCancel(phase)).join(' ')).toBe(
    'end end end end end stop_hosts refuse refuse refuse refuse',
  )
})

describe('the order of runs', () => {
  const push = { origin: 'push', tag: null, isRollback: false } as const
  const older = (phase: ApplicationPhase, more: object = {}) => ({
    ...push,
    number: 1,
    phase,
    ...more,
  })
  const newer = (more: object = {}) => ({
    ...push,
    number: 2,
    phase: 'queued' as ApplicationPhase,
    hasArtifact: false,
    hasDeployed: false,
    ...more,
  })
  const ended = (by: ReturnType<typeof newer>, more: object = {}) =>
    phases.filter((phase) => isSuperseded(older(phase, more), by))

  test('a newer push ends a queued one, and a waiting one once its artifact stands', () => {
    expect(ended(newer())).toEqual(['queued'])
    expect(ended(newer({ hasArtifact: true }))).toEqual(['queued', 'awaiting_approval'])
    expect(ended(newer({ origin: 'person', hasArtifact: true }))).toEqual([])
    expect(ended(newer({ hasArtifact: true }), { origin: 'person' })).toEqual([])
  })

  test('a tag is ended by no push, and ends none', () => {
    expect(ended(newer({ hasArtifact: true }), { tag: 'v1' })).toEqual([])
    expect(ended(newer({ tag: 'v2', hasArtifact: true }))).toEqual([])
    expect(ended(newer({ tag: 'v2', hasArtifact: true }), { tag: 'v1' })).toEqual([])
  })

  test('what was deployed later is not undone by an earlier run, but by a rollback', () => {
    const deployed = newer({ origin: 'person', phase: 'succeeded', hasDeployed: true })
    expect(ended(deployed, { origin: 'schedule' })).toEqual([
      'queued',
      'sourcing',
      'building',
      'awaiting_approval',
      'deploy_queued',
    ])
    expect(ended(deployed, { isRollback: true })).toEqual([])
    expect(ended({ ...deployed, number: 1 })).toEqual([])
  })
})
