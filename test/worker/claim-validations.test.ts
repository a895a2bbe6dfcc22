import { afterAll, beforeAll, expect, test } from 'vitest'
import { claimValidations } from '../../store/platform/claim-validations.ts'
import { connectedAccount } from '../harness/clouds/cloud-rows.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

test('each organization’s first account is validated before the second of any', async () => {
  const { platform } = harness.deps.store
  const [many, few] = [await harness.organization(), await harness.organization()]
  for (let n = 0; n < 6; n += 1) await connectedAccount(harness, many.id)
  const late = await connectedAccount(harness, few.id)
  const due = (minutes: number) => ({ nextValidationAt: new Date(Date.now() - minutes * 60_000) })
  await platform('cloud_accounts').where({ organizationId: many.id }).update(due(60))
  await platform('cloud_accounts').where({ id: late }).update(due(1))
  const claimed = await claimValidations(platform, 2)
  const turns = claimed.map(({ organizationId }) => organizationId)
  expect(new Set(turns)).toEqual(new Set([many.id, few.id]))
  // Each is claimed once, also by two workers at once.
  const rest = await Promise.all([claimValidations(platform, 3), claimValidations(platform, 3)])
  const ids = [claimed, ...rest].flat().map(({ accountId }) => accountId)
  expect(new Set(ids).size).toBe(ids.length)
})
