import { expect, test } from 'vitest'
import type { AccountCheck } from '../clouds/cloud-account.ts'
import { whyNotIngested } from './may-ingest.ts'

const billing = (state: AccountCheck['state'], reason: string | null = null): AccountCheck => ({
  part: 'billing',
  state,
  reason,
  missing: [],
})
const account = { status: 'healthy', statusReason: null, checks: [], hasBilling: true } as const

test('a healthy account with billing settings is read, one without them is not', () => {
  expect(whyNotIngested(account)).toBeNull()
  expect(whyNotIngested({ ...account, hasBilling: false })).toContain('no billing settings')
})

test('a degraded account is read where its billing check is ok', () => {
  const degraded = { ...account, status: 'degraded', statusReason: 'The inventory fails.' } as const
  expect(whyNotIngested({ ...degraded, checks: [billing('ok')] })).toBeNull()
  expect(whyNotIngested({ ...degraded, checks: [billing('failed', 'No such bucket.')] })).toBe(
    'No such bucket.',
  )
  expect(whyNotIngested(degraded)).toBe('The inventory fails.')
})

test.each(['pending', 'invalid_credentials', 'unreachable'] as const)(
  'an account that is %s is not read, and it says why',
  (status) => {
    expect(whyNotIngested({ ...account, status, checks: [billing('ok')] })).not.toBeNull()
  },
)
