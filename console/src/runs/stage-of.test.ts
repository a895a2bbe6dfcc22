import { expect, test } from 'vitest'
import type { Stage } from '../api/types.ts'
import { stageNow, stageOf } from './stage-of.ts'

const stage = (name: string, state: Stage['state'], startedAt: string | null = null): Stage => ({
  name,
  state,
  startedAt,
  endedAt: null,
})
const at = '2026-05-01T12:00:00Z'

test('the log that is shown first is of the last stage that began', () => {
  const stages = [stage('source', 'succeeded', at), stage('build', 'running', at)]
  expect(stageOf({ state: 'running', stages: [...stages, stage('deploy', 'pending')] })).toBe(
    'build',
  )
})

test('of a run whose build is skipped it is that of its deployment', () => {
  const stages = [stage('source', 'skipped'), stage('build', 'skipped'), stage('deploy', 'waiting')]
  expect(stageOf({ state: 'running', stages })).toBe('deploy')
  expect(stageNow({ state: 'running', stages })).toBe('deploy')
})
