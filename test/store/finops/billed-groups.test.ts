import { afterAll, beforeAll, expect, test } from 'vitest'
import { swapSlice } from '../../../app/finops/swap-slice.ts'
import { unwrap } from '../../../store/driver/tenant.ts'
import { billedGroups } from '../../../store/finops/billed-groups.ts'
import { testBills, type TestCharge } from '../../harness/bills.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { holdResources } from '../../harness/finops/held-resources.ts'
import { plainGroups } from '../../harness/finops/plain-groups.ts'
import { variedBill, type VariedResource } from '../../harness/finops/varied-bill.ts'
import { ownedWorkspace } from '../../harness/owned-workspace.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

const through = '2026-03-20'
const rates: Record<string, number> = {
  'USD 2026-02': 1,
  'USD 2026-03': 1,
  'EUR 2026-02': 1.25,
  'EUR 2026-03': 1.5,
}

test.each([1, 2, 3])(
  'the groups are those of plain loops over the days, to the digit: series %i',
  async (seed) => {
    const { org, owner, workspace } = await ownedWorkspace(harness)
    const workspaces = [workspace, await org.workspace({ by: owner })]
    const resources = variedBill(seed, 150)
    await hold(
      org.id,
      workspaces.map(({ id }) => id),
      resources,
    )
    await load(org.id, resources)
    const expected = inOrder(plainGroups(resources, { through, rates }))
    const found = await groupsOf(org.id)
    expect(inOrder(found)).toEqual(expected)
    expect(inOrder(await groupsOf(org.id, { byWorkers: true }))).toEqual(expected)
    // The series has each of them.
    expect(found.length).toBeGreaterThan(20)
    expect(found.some(({ spread }) => spread !== null && spread > 0.25)).toBe(true)
    expect(found.some(({ spread }) => spread !== null && spread < 0.05)).toBe(true)
    expect(found.some(({ lacksRate }) => lacksRate)).toBe(true)
    expect(found.some((one) => one.hasUnconfirmed && !one.isUnconfirmed)).toBe(true)
  },
  60_000,
)

/** `byWorkers`: as PostgreSQL reads the charges of a large bill, by several processes. */
async function groupsOf(organizationId: number, { byWorkers = false } = {}) {
  return harness.deps.store.tenant(organizationId, async (tenant) => {
    if (byWorkers)
      await unwrap(tenant).db.raw(`select set_config('min_parallel_table_scan_size', '0', true),
        set_config('parallel_setup_cost', '0', true)`)
    return billedGroups(tenant, 'USD')
  })
}

type Group = { resourceType: string; match: object; region: string | null }
const keyOf = ({ resourceType, match, region }: Group) =>
  JSON.stringify([
    resourceType,
    Object.entries(match).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    region,
  ])
const inOrder = <T extends Group>(groups: readonly T[]): T[] =>
  groups.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))

/** What each workspace holds, as a state for each day on which something changes. */
async function hold(
  organizationId: number,
  workspaceIds: readonly number[],
  resources: readonly VariedResource[],
): Promise<void> {
  const days = new Set(resources.flatMap(({ holdings }) => holdings.map(({ from }) => from)))
  for (const day of [...days].toSorted())
    for (const [at, workspaceId] of workspaceIds.entries()) {
      const held = resources.flatMap(({ cloudId, holdings }) => {
        const now = holdings.findLast(({ from }) => from <= day)
        if (now?.workspace !== at) return []
        // A change without a new size is one of the address.
        return [{ ...now, cloudId, address: addressOf(cloudId, now) }]
      })
      await holdResources(harness.deps.store, { organizationId, workspaceId, day }, held)
    }
  for (const { cloudId, holdings } of resources)
    for (const holding of holdings)
      await harness.deps.store
        .platform('workspace_resources')
        .where({ organizationId, address: addressOf(cloudId, holding) })
        .update({ confirmedFrom: holding.confirmed })
}

const addressOf = (cloudId: string, { type, from }: VariedResource['holdings'][number]): string =>
  `${type}.a["${cloudId} ${from}"]`

/** Both months; the second one was loaded before with other costs, and is restated. */
async function load(organizationId: number, resources: readonly VariedResource[]): Promise<void> {
  const { store } = harness.deps
  const bills = testBills(store, organizationId)
  for (const month of ['2026-02', '2026-03'])
    await bills.ask(
      `insert into exchange_rates (organization_id, month, base, quote, rate, kind)
       values (:organizationId, :month, 'EUR', 'USD', :rate, 'person')`,
      { month: `${month}-01`, rate: rates[`EUR ${month}`] ?? 0 },
    )
  const sourceId = await bills.source()
  const swap = async (charges: readonly TestCharge[], month: string) => {
    const whole = { day: month === '2026-03' ? through : '2026-02-28', effective_cost: '1' }
    const { id } = await bills.reading(sourceId, [...charges, whole], `${month}-01`)
    await swapSlice(store, { organizationId, sliceId: id })
  }
  const charges = resources.flatMap((resource) => resource.charges)
  const ofMonth = (month: string) => charges.filter(({ day }) => day?.startsWith(month))
  await swap(ofMonth('2026-02'), '2026-02')
  const before = ofMonth('2026-03').map((charge) => ({ ...charge, effective_cost: '3' }))
  await swap(before, '2026-03')
  await swap(ofMonth('2026-03'), '2026-03')
}
