import { afterAll, beforeAll, expect, test } from 'vitest'
import { resourcesInBills } from '../../../store/clouds/resources-in-bills.ts'
import { firstBilledKey, tidiedResources } from '../../../store/clouds/tidied-resources.ts'
import { connectOwner } from '../../../store/driver/connect.ts'
import { unwrap, type Tenant } from '../../../store/driver/tenant.ts'
import { countStatements } from '../../harness/count-statements.ts'
import { charge, storeCharges } from '../../harness/cost-rows.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'

let harness: Harness
let organizationId: number
beforeAll(async () => {
  harness = await createHarness({ mail: 'unsent' })
  organizationId = (await harness.organization()).id
  const { platform } = harness.deps.store
  await storeCharges(platform, organizationId, [charge({})])
  await platform.raw(
    `insert into cost_resources (organization_id, slice_id, resource_id, provider, service, currency, first_day,
       last_day, billed, effective, list)
     select organization_id, id, 'i-' || n, 'aws', 'EC2', 'USD', first_day, last_day, 1, 1, 1
     from billing_slices, generate_series(1, 20000) n where organization_id = ?`,
    [organizationId],
  )
  const owner = connectOwner(harness.config.databaseUrl)
  await owner.raw('analyze cost_resources; analyze billing_slices')
  await owner.destroy()
})
afterAll(async () => harness.close())

const asked: Array<[string, (tenant: Tenant) => Promise<unknown>]> = [
  ['what bills have of a page', async (tenant) => resourcesInBills(tenant, ['i-1'], 'USD')],
  ['what bills have no more', async (tenant) => tidiedResources(tenant).tidyPage(firstBilledKey)],
]

// Under row-level security a condition with a function that is not leakproof is no condition of an index: a page of
// the list read every resource of every bill.
test.each(asked)('resources of bills are found by their names: %s', async (_, ask) => {
  const { statements } = await countStatements(async () =>
    harness.deps.store.tenant(organizationId, ask),
  )
  const [statement] = statements.filter((text) => /\bcost_resources\b/.test(text))
  const plan = await harness.deps.store.tenant(organizationId, async (tenant) => {
    const { db } = unwrap(tenant)
    const { rows } = await db.raw(`explain (generic_plan) ${statement}`)
    return rows.map((row: Record<string, string>) => row['QUERY PLAN']).join('\n')
  })
  expect(plan).toMatch(/on cost_resources c[^\n]*\n\s*Index Cond: [^\n]*\(name_key = /)
})
