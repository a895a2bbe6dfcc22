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
  pullRequestComment('<!-- m -->', [{ ...planned, ...more }])
    .split('\n')
    .find((line) => line.startsWith('| network'))

test('a row a workspace, and the marker at the end', () => {
  expect(rowOf({})).toBe(
    '| network | `aaaaaaaaaaaa` | [planned](https://cc.example/workspaces/1/runs/2) | 1 | 2 | 3 | policy: pass, cost: warn |',
  )
  expect(pullRequestComment('<!-- m -->', [planned]).endsWith('\n<!-- m -->')).toBe(true)
})

test('says how many objects are imported, where there are some', () => {
  const summary = { import: 2, add: 0, change: 1, destroy: 0 }
  expect(rowOf({ summary })).toContain(
    '[planned](https://cc.example/workspaces/1/runs/2), 2 to import | 0 | 1 | 0 |',
  )
  expect(rowOf({ summary: { ...summary, import: 0 } })).not.toContain('import')
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
  const text = pullRequestComment('<!-- m -->', [
    { ...planned, gates: [{ kind: 'cost', result: 'warn', findings }] },
  ])
  expect(text.split('\n').filter((line) => line.startsWith('- '))).toEqual([
    '- network would break the budget Shop &#64;ada.',
  ])
})

test('a name of a file cannot end the table, mention anybody or make a link', () => {
  const fault = 'a|b @ada [x](https://evil.example) `c`\n| other | row\n<img src=x> #1 !2'
  const text = pullRequestComment('<!-- m -->', [], { unplanned: [{ name: 'network', fault }] })
  expect(text.split('\n').filter((line) => line.startsWith('|'))).toHaveLength(3)
  const row = text.split('\n').find((line) => line.startsWith('| network')) ?? ''
  expect(row.match(/\|/g)).toHaveLength(8)
  expect(row).not.toMatch(/@ada|\]\(|https:\/\/|`c`|<img/)
})

const many = (begin: string, more: Partial<PlannedWorkspace>) =>
  Array.from({ length: 150 }, (_, index) => ({ ...planned, name: `${begin}-${index}`, ...more }))
const namesIn = (text: string) =>
  text
    .split('\n')
    .filter((line) => /^\| \w+-\d/.test(line))
    .map((line) => line.split(' ')[1] ?? '')

test('a long list ends below what hosts take: failed and refused ones first, unchanged ones last', () => {
  const rows = [
    ...many('same', { reason: 'no_changes' }),
    ...many('changed', {}),
    ...many('failed', { state: 'failed', reason: 'policy_denied' }),
  ]
  const unplanned = [{ name: 'refused-1', fault: 'odd' }]
  const text = pullRequestComment('<!-- m -->', rows, { unplanned })
  expect(text.length).toBeLessThanOrEqual(30_000)
  expect(text.length).toBeGreaterThan(29_000)
  expect(text.endsWith('\n<!-- m -->')).toBe(true)
  const shown = namesIn(text)
  expect(shown).toContain('refused-1')
  expect(shown.filter((name) => name.startsWith('failed'))).toHaveLength(150)
  expect(shown.at(-1)).toMatch(/^changed/)
  expect(text).toContain(`\n\n… and ${451 - shown.length} more workspaces.\n`)
  // What fits stays in its order, and says nothing of others.
  const few = pullRequestComment('<!-- m -->', [rows[0] ?? planned, rows[450 - 1] ?? planned])
  expect(namesIn(few)).toEqual(['same-0', 'failed-149'])
  expect(few).not.toContain('more workspace')
})

test('many broken budgets leave room for the workspaces', () => {
  const findings = Array.from({ length: 500 }, (_, id) => ({
    message: 'x',
    budget: { id, name: `budget of a team with a long name ${id}` },
    breaks: true,
  }))
  const gates = [{ kind: 'cost', result: 'warn', findings }]
  const text = pullRequestComment('<!-- m -->', [...many('w', {}), { ...planned, gates }])
  expect(text.length).toBeLessThanOrEqual(30_000)
  const lines = text.split('\n').filter((line) => line.startsWith('- '))
  expect(lines.length).toBeGreaterThan(50)
  expect(text).toContain(`\n… and ${500 - lines.length} more budgets.\n`)
  expect(namesIn(text).length).toBeGreaterThan(100)
  const one = pullRequestComment('<!-- m -->', many('x', { name: 'n'.repeat(300) }))
  expect(one.length).toBeLessThanOrEqual(30_000)
})

test('workspaces that were not read are counted, and nothing is said of their budgets', () => {
  const rows = [...many('a', {}), ...many('b', {}), ...many('c', {}), ...many('d', {})]
  const whole = pullRequestComment('<!-- m -->', rows)
  const text = pullRequestComment('<!-- m -->', rows.slice(0, 500), { more: 100 })
  expect(text.length).toBeLessThanOrEqual(30_000)
  const end = '\n\nBudgets of 100 more workspaces are not shown.\n\n<!-- m -->'
  expect(text.endsWith(end)).toBe(true)
  // Of those that have room nothing is lost, but for the one sentence.
  const [shown, before] = [namesIn(text), namesIn(whole)]
  expect(shown).toEqual(before.slice(0, shown.length))
  expect(before.length - shown.length).toBeLessThanOrEqual(1)
  expect(text).toContain(`\n\n… and ${600 - shown.length} more workspaces.\n`)
  const few = pullRequestComment('<!-- m -->', rows.slice(0, 2), { more: 7 })
  expect(namesIn(few)).toEqual(['a-0', 'a-1'])
  expect(few).toContain('\n\n… and 7 more workspaces.\n')
})

test('the shortest row has more characters than the store counts on: it reads 500 of them', () => {
  const short = { name: 'n', url: 'http://a/workspaces/1/runs/1', gates: [], summary: null }
  const rows = Array.from({ length: 500 }, () => ({ ...planned, ...short }))
  const lines = pullRequestComment('<!-- m -->', rows).split('\n')
  expect(lines.filter((line) => line.startsWith('| n |')).length).toBeLessThan(450)
})
