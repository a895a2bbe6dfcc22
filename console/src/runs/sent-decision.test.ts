import { expect, test } from 'vitest'
import { ApiError, Unreachable } from '../api/call.ts'
import { arrivalOf } from './sent-decision.ts'

type Sent = Parameters<typeof arrivalOf>[0]

const approval = (fields: Partial<Sent['approvals'][number]> = {}) => ({
  user: 'ada@one.example',
  decision: 'approved' as const,
  stage: 'approve' as const,
  at: '2026-01-02T03:04:05.000Z',
  comment: null,
  planDigest: '',
  ...fields,
})
const sent = (fields: Partial<Sent> = {}) =>
  arrivalOf({
    asked: { choice: 'approve', step: 0, known: 0 },
    approvals: [],
    me: 'ada@one.example',
    doing: { submittedAt: 1, error: new Unreachable() },
    ...fields,
  })

test('without a request nothing was sent, whoever decided', () => {
  const doing = { submittedAt: 0, error: null }
  expect(sent({ doing, approvals: [approval()] })).toBe('not sent')
})

test('a lost answer to a decision that the run has: it arrived', () => {
  expect(sent({ approvals: [approval()] })).toBe('arrived')
  expect(sent({ approvals: [approval(), approval({ user: 'bob', step: 2 })] })).toBe('arrived')
  // A second click, which the service refused because the first one had counted.
  const refused = new ApiError(409, { code: 'run_not_waiting' })
  const doing = { submittedAt: 2, error: refused }
  expect(sent({ doing, approvals: [approval()] })).toBe('arrived')
})

test.each([
  ['of another person', approval({ user: 'bob@one.example' })],
  ['with another verdict', approval({ decision: 'rejected' })],
  ['of another step', approval({ step: 1 })],
])('a lost answer and a decision %s: it is not known', (_name, one) => {
  expect(sent({ approvals: [one] })).toBe('unknown')
})

test('a decision from before the dialog opened is not the one of the dialog', () => {
  const asked = { choice: 'approve', step: 0, known: 1 } as const
  expect(sent({ asked, approvals: [approval()] })).toBe('unknown')
})

test.each([
  [new ApiError(409, { code: 'run_not_waiting' }), 'refused'],
  [new ApiError(429, {}), 'refused'],
  [new ApiError(500, {}), 'unknown'],
  [new ApiError(503, {}), 'unknown'],
  [new Unreachable(), 'unknown'],
])('after the error %s it is %s', (error, arrival) => {
  expect(sent({ doing: { submittedAt: 1, error } })).toBe(arrival)
})
