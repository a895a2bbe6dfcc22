import { expect, test } from 'vitest'
import { claimGates, claimsAtOnce } from '../../../api/agents/protocol/claim-gates.ts'

test('a thousand claims of one organization ask a few at a time, and another’s are not behind them', async () => {
  const gateOf = claimGates()
  const until = Promise.withResolvers<void>()
  let asking = 0
  let most = 0
  const claim = async (organizationId: number) =>
    gateOf(organizationId)(async () => {
      asking += 1
      most = Math.max(most, asking)
      await until.promise
      asking -= 1
    })
  const claims = Array.from({ length: 1_000 }, async () => claim(1))
  await expect.poll(() => asking).toBe(claimsAtOnce)
  const other = claim(2)
  await expect.poll(() => asking).toBe(claimsAtOnce + 1)
  until.resolve()
  await Promise.all([...claims, other])
  expect([asking, most]).toEqual([0, claimsAtOnce + 1])
})
