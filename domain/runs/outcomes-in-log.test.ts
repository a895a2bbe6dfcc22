import { expect, test } from 'vitest'
import { outcomesIn } from './outcomes-in-log.ts'

test.each([
  [
    'a.b: Creation complete after 0s [id=x]',
    'a.b',
    { action: 'create', result: 'done', seconds: 0 },
  ],
  [
    'a.b["x: y"]: Modifications complete after 1m5s',
    'a.b["x: y"]',
    { action: 'update', result: 'done', seconds: 65 },
  ],
  [
    'm.n.a.b[0]: Destruction complete after 1h0m2s',
    'm.n.a.b[0]',
    { action: 'destroy', result: 'done', seconds: 3_602 },
  ],
  ['a.b: Creation errored after 12s', 'a.b', { action: 'create', result: 'failed', seconds: 12 }],
] as const)('%j', (line, address, outcome) => {
  expect(Object.fromEntries(outcomesIn([line]))).toEqual({ [address]: outcome })
})

test('a replacement takes the time of both halves, and fails with either', () => {
  const destroyed = 'a.b: Destruction complete after 2s'
  const done = outcomesIn([destroyed, 'a.b: Creation complete after 3s [id=1]'])
  expect(done.get('a.b')).toEqual({ action: 'replace', result: 'done', seconds: 5 })
  const failed = outcomesIn(['a.b: Creation errored after 3s', destroyed])
  expect(failed.get('a.b')).toEqual({ action: 'replace', result: 'failed', seconds: 5 })
})

test('what a provisioner prints is the outcome of no resource', () => {
  const printed = 'a.b: (local-exec): c.d: Creation complete after 0s'
  expect(outcomesIn([printed]).has('c.d')).toBe(false)
  expect(outcomesIn([printed]).has('a.b')).toBe(false)
  expect(outcomesIn(['a.b: Still creating... [10s elapsed]']).size).toBe(0)
})
