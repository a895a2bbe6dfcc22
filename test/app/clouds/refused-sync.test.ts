import { afterAll, beforeAll, expect, test } from 'vitest'
import { found } from '../../harness/clouds/listed-cloud.ts'
import { syncSteps } from '../../harness/clouds/sync-steps.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

const rowOf = (accountId: number) =>
  harness.deps.store.platform('cloud_accounts').where({ id: accountId })

test('what is in a region that the account does not name any more is not gone', async () => {
  const steps = await syncSteps(harness)
  const { cloud } = steps
  cloud.coverage = 'full'
  const [east, west] = [found('e', { region: 'eastus' }), found('w', { region: 'westeurope' })]
  cloud.regions = { '': [east, west, found('x', { region: 'westeurope' })] }
  await rowOf(steps.accountId).update({ provider: 'azure' })
  await steps.sync()
  await rowOf(steps.accountId).update({ regions: ['WestEurope'] })
  cloud.regions = { '': [west] }
  expect(await steps.sync()).toMatchObject({ gone: 1 })
  const rows = await harness.deps.store
    .platform('cloud_resources')
    .where({ cloudAccountId: steps.accountId })
    .orderBy('region')
    .orderBy('state')
    .select('region', 'state')
  expect(rows).toEqual([
    { region: 'eastus', state: 'present' },
    { region: 'westeurope', state: 'gone' },
    { region: 'westeurope', state: 'present' },
  ])
})
