import { expect, test } from 'vitest'
import type { AnyRunDetail } from '../api/types.ts'
import { applicationTab } from './application-tab.ts'

const run = (more: object) =>
  ({ stages: [], awaitingApproval: false, workspaceId: 7, deployment: null, ...more }) as Pick<
    AnyRunDetail,
    'stages' | 'awaitingApproval' | 'workspaceId' | 'deployment'
  >

test('a run shows first what a person looks at now', () => {
  expect(applicationTab(run({}), undefined)).toBe('log')
  expect(applicationTab(run({ awaitingApproval: true, deployment: { batch: 0 } }), undefined)).toBe(
    'changes',
  )
  expect(applicationTab(run({ awaitingApproval: true, deployment: { batch: 1 } }), undefined)).toBe(
    'hosts',
  )
})

test('a tab of the address is shown where the run has it', () => {
  expect(applicationTab(run({}), 'timeline')).toBe('timeline')
  expect(applicationTab(run({}), 'hosts')).toBe('hosts')
  expect(applicationTab(run({ workspaceId: null }), 'hosts')).toBe('log')
  // Of a run of a workspace.
  expect(applicationTab(run({}), 'plan')).toBe('log')
})
