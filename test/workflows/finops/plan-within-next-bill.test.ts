import { afterAll, beforeAll, expect, test } from 'vitest'
import { learnPrices } from '../../../app/finops/learn-prices.ts'
import { priceResources } from '../../../domain/finops/price-resources.ts'
import { testPlan } from '../../../domain/infrastructure/test-plan.ts'
import { rulesOfWorkspace } from '../../../store/infrastructure/rules-of-workspace.ts'
import { applyState } from '../../api/workspaces/applied-state.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { ingestedBill } from '../../harness/finops/bill-form.ts'
import { heldSince } from '../../harness/finops/held-resources.ts'
import { cloudBill, clouds, cloudState, type Cloud } from '../../harness/finops/cloud-bills.ts'
import { ownedWorkspace } from '../../harness/owned-workspace.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness({ worker: true })
})
afterAll(async () => harness.close())

const known = { first: 0, count: 4 }
const added = { first: 100, count: 10 }

/** Ten more of each kind, and one of what is paid by use. */
function planOf({ name, kinds, configured }: Cloud) {
  const changes = kinds.flatMap(({ type, values, noise }) =>
    Array.from({ length: noise === undefined ? 1 : added.count }, (_, n) => ({
      address: `${type}.new[${n}]`,
      provider: `registry.opentofu.org/hashicorp/${name}`,
      actions: ['create'],
      after: values,
      unknown: { id: true, arn: true, self_link: true, availability_zone: true },
    })),
  )
  const expressions = Object.fromEntries(
    Object.entries(configured ?? {}).map(([key, value]) => [key, { constant_value: value }]),
  )
  const provider = { full_name: `registry.opentofu.org/hashicorp/${name}`, expressions }
  return testPlan(changes, {
    configuration: { root_module: {}, provider_config: { [name]: provider } },
  })
}

test.each(clouds)(
  'of an uploaded bill of $provider with a negotiated discount a plan is within 5 % of the next bill',
  async (cloud) => {
    const { org, owner, workspace } = await ownedWorkspace(harness)
    const { store } = harness.deps
    const types = cloud.kinds.map(({ type }) => type)
    const unstable = types.at(-1)
    await applyState(harness, { by: owner, workspace }, cloudState(cloud, known))
    await heldSince(store, { organizationId: org.id, day: '2026-03-01' })
    const upload = async (month: string, made: typeof known) => {
      const files = [{ name: `${month}.csv`, content: cloudBill(cloud, month, made) }]
      expect(await ingestedBill(owner, 'bill', files)).toMatchObject({ state: 'succeeded' })
    }
    await upload('2026-03', known)
    await learnPrices(store, org.id)

    const at = { workspaceId: workspace.id, resourceTypes: types }
    const { prices } = await rulesOfWorkspace(store, org.id, at)
    const plan = planOf(cloud)
    const when = { currency: 'USD', at: new Date('2026-04-01T10:00:00Z') }
    const priced = priceResources(plan, prices, when)
    expect(priced.coverage.ratio).toBeGreaterThanOrEqual(0.9)
    expect(priced.resources.filter(({ priced: by }) => by === 'none')).toMatchObject([
      { address: `${unstable}.new[0]`, unpricedBecause: 'no_price' },
    ])
    const { unpriced } = (await owner.get('/api/finops/prices/unpriced')).json()
    expect(unpriced).toMatchObject([{ resourceType: unstable, because: 'no_stable_price' }])

    const grown = await org.workspace({ by: owner })
    const stable = { ...cloud, kinds: cloud.kinds.slice(0, -1) }
    await applyState(harness, { by: owner, workspace: grown }, cloudState(stable, added))
    await upload('2026-04', added)
    const window = 'from=2026-04-01&to=2026-04-30'
    const billed = (await owner.get(`${grown.url}/cost?${window}`)).json()
    expect(billed.resources).toHaveLength(20)
    expect(Math.abs(Number(priced.delta) / billed.total - 1)).toBeLessThan(0.05)
    // Neither the list nor the invoice says it.
    for (const basis of cloud.invoiced === 1 ? ['list'] : ['list', 'billed']) {
      const other = (await owner.get(`${grown.url}/cost?${window}&basis=${basis}`)).json()
      expect(Math.abs(Number(priced.delta) / other.total - 1)).toBeGreaterThan(0.1)
    }
  },
  120_000,
)
