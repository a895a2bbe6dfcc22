import { expect, test } from 'vitest'
import { pullRequestComment, type PlannedWorkspace } from './pull-request-comment.ts'

const planned: PlannedWorkspace = {
  name: 'network',
  commit: 'a'.repeat(40),
  state: 'succeeded',
  reason: null,
  summary: { add: 1, change: 2, destroy: 3 },
  gates: [
    { kind: 'policy', result: 'pass', findings: [] },
    { kind: 'cost', result: 'warn', findings: [] },
  ],
  url: 'https://cc.example/workspaces/1/runs/2',
}
const rowOf = (more: Partial<PlannedWorkspace>) =>
  pullRequestComment('<!-- m -->', [{ ...planned, ...more }], [])
    .split('\n')
    .find((line) => line.startsWith('| network'))

test('a row a workspace, and the marker at the end', () => {
  expect(rowOf({})).toBe(
    '| network | `aaaaaaaaaaaa` | [planned](https://cc.example/workspaces/1/runs/2) | 1 | 2 | 3 | policy: pass, cost: warn |',
  )
  expect(pullRequestComment('<!-- m -->', [planned], []).endsWith('\n<!-- m -->')).toBe(true)
})

test('what is not planned yet, failed and changes nothing is told apart', () => {
  const none = { summary: null, gates: [] }
  expect(rowOf({ state: 'running', ...none })).toContain('[running]')
  expect(rowOf({ state: 'failed', reason: 'policy_denied' })).toContain('[failed (policy_denied)]')
  expect(rowOf({ reason: 'no_changes' })).toContain('[no changes]')
})

test('names the budgets that merging would break, and no others', () => {
  const finding = (name: string, breaks: boolean) => ({
    message: 'x',
    budget: { id: 1, name },
    breaks,
  })
  const findings = [finding('Shop @ada', true), finding('Unknown', false), { message: 'no price' }]
  const text = pullRequestComment(
    '<!-- m -->',
    [{ ...planned, gates: [{ kind: 'cost', result: 'warn', findings }] }],
    [],
  )
  expect(text.split('\n').filter((line) => line.startsWith('- '))).toEqual([
    '- network would break the budget Shop &#64;ada.',
  ])
})

test('a name of a file cannot end the table, mention anybody or make a link', () => {
  const fault = 'a|b @ada [x](https://evil.example) `c`\n| other | row\n<img src=x> #1 !2'
  const text = pullRequestComment('<!-- m -->', [], [{ name: 'network', fault }])
  expect(text.split('\n').filter((line) => line.startsWith('|'))).toHaveLength(3)
  const row = text.split('\n').find((line) => line.startsWith('| network')) ?? ''
  expect(row.match(/\|/g)).toHaveLength(8)
  expect(row).not.toMatch(/@ada|\]\(|https:\/\/|`c`|<img/)
})
