import { afterAll, beforeAll, expect, test } from 'vitest'
import { scoreScopes } from '../../../app/finops/score-scopes.ts'
import type { Store } from '../../../store/driver/connect.ts'
import { raiseCostVersion } from '../../../store/finops/raise-cost-version.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { scopeBills, scopeFirstDay, smallCosts } from '../../harness/scope-bills.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

/** Lets `between` run before one of the transactions of a scoring: 1 reads, 2 explains, 3 writes. */
const withPause = (store: Store, before: number, between: () => Promise<unknown>): Store => {
  let transactions = 0
  return {
    ...store,
    async tenant(organizationId, work) {
      transactions += 1
      if (transactions === before) await between()
      return store.tenant(organizationId, work)
    },
  }
}

const made = async () => {
  const { store } = harness.deps
  const org = await harness.organization()
  const of = scopeBills(store, org.id)
  const sourceId = await of.bills.source()
  const at = { organizationId: org.id, from: scopeFirstDay }
  const raise = async () => store.tenant(org.id, raiseCostVersion)
  await of.bills.load(sourceId, smallCosts(60, { at: { 59: 280 } }))
  await raise()
  /** The rise is taken back by a newer bill, and scored. */
  const restate = async () => {
    await of.bills.load(sourceId, smallCosts(60))
    await raise()
    await scoreScopes(store, at)
  }
  return { ...of, at, restate, store }
}

test('a scoring that read an older bill does not write over one of a newer bill', async () => {
  const { store, at, restate, scopes, bills } = await made()
  expect(await scoreScopes(withPause(store, 3, restate), at)).toEqual({ anomalies: 0 })
  expect(await scopes()).toEqual([])
  const days = `select actual::float8 from anomaly_days where organization_id = :organizationId and day = '2026-03-01'`
  expect(await bills.ask(days)).toEqual([{ actual: 200 }])
})

test('a newer bill that no scoring has read yet does not keep one from being written', async () => {
  const { store, at, scopes } = await made()
  const raise = async () => store.tenant(at.organizationId, raiseCostVersion)
  expect(await scoreScopes(withPause(store, 3, raise), at)).toEqual({ anomalies: 1 })
  expect(await scopes()).toEqual([['all', '2026-03-01', 80]])
})
