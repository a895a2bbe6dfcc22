import { afterAll, beforeAll, expect, test } from 'vitest'
import { tellOfLateBill } from '../../../app/finops/tell-of-late-bill.ts'
import { sourceHealth } from '../../../store/finops/source-health.ts'
import { testBills } from '../../harness/bills.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

const made = async () => {
  const org = await harness.organization()
  const health = async <T>(work: (of: ReturnType<typeof sourceHealth>) => Promise<T>) =>
    harness.deps.store.tenant(org.id, async (tenant) => work(sourceHealth(tenant)))
  return { org, health, bills: testBills(harness.deps.store, org.id) }
}

test('of those that are noted as failing, each is answered once until it is well', async () => {
  const { health, bills } = await made()
  const [one, two] = [await bills.source(), await bills.source()]
  const note = async (ids: number[]) => health(async (of) => of.noteFailing(ids))
  const answers = await Promise.all([note([one]), note([one]), note([one])])
  expect(answers.flat()).toEqual([one])
  expect(await note([one, two])).toEqual([two])
  await health(async (of) => of.noteWell(one))
  expect(await note([one, two])).toEqual([one])
})

test('an ingest may have more sources than a statement has room for values', async () => {
  const { health, bills } = await made()
  const id = await bills.source()
  const many = Array.from({ length: 100_000 }, (_, at) => id + at)
  expect(await health(async (of) => of.noteFailing(many))).toEqual([id])
})

test('sources of another organization, and removed ones, are not there', async () => {
  const [own, other] = [await made(), await made()]
  const id = await own.bills.source()
  await other.health(async (of) => {
    expect(await of.named(id)).toBeUndefined()
    expect(await of.noteFailing([id])).toEqual([])
    expect(await of.holdLateness(id)).toBeUndefined()
    await of.noteLate(id, true)
  })
  await harness.deps.store.tenant(other.org.id, async (tenant) => tellOfLateBill(tenant, id))
  const [row] = await own.bills.ask('select failing_since, late_since from billing_sources')
  expect(row).toEqual({ failing_since: null, late_since: null })
  await own.bills.ask('update billing_sources set removed_at = now() where id = :id', { id })
  expect(await own.health(async (of) => of.noteFailing([id]))).toEqual([])
  expect(await own.health(async (of) => of.named(id))).toBeUndefined()
})
