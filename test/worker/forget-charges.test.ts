import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { removeSource } from '../../app/finops/remove-source.ts'
import { swapSlice } from '../../app/finops/swap-slice.ts'
import { systemActor } from '../../store/audit/audit-log.ts'
import { billingSources } from '../../store/finops/billing-sources.ts'
import { forgetAccountsTask } from '../../worker/tasks/forget-accounts.ts'
import { forgetChargesTask } from '../../worker/tasks/forget-charges.ts'
import { awsAccount } from '../api/clouds/account-bodies.ts'
import { testBills } from '../harness/bills.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import type { TestOrganization } from '../harness/test-organization.ts'

let harness: Harness
let org: TestOrganization
let bills: ReturnType<typeof testBills>
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())
beforeEach(async () => {
  org = await harness.organization()
  bills = testBills(harness.deps.store, org.id)
})

const run = async () => forgetChargesTask(harness.deps).run()
const drain = async () => {
  for (let left = 30; left > 0; left -= 1) if ((await run()) === 'done') return
  throw new Error('it did not end')
}
const swap = async (sliceId: number) =>
  swapSlice(harness.deps.store, { organizationId: org.id, sliceId })
const tables = [
  'focus_charges',
  'cost_daily',
  'cost_tag_daily',
  'cost_tag_keys',
  'cost_resources',
  'cost_commitments',
]
const left = async (): Promise<Record<string, unknown>> => {
  const counts = tables.map(
    (table) =>
      `(select array_agg(distinct slice_id) from ${table} where organization_id = :organizationId) as ${table}`,
  )
  const [row] = await bills.ask(`select ${counts.join(', ')}`)
  return row ?? {}
}
const inAll = (ids: number[] | null) => Object.fromEntries(tables.map((table) => [table, ids]))
const charges = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    digest: randomUUID(),
    resource_id: `r-${at}`,
    tags: '{"team": "a"}',
    commitment_discount_id: 'sp',
  }))

test('what a slice replaced is deleted in parts, and the current one stays', async () => {
  const sourceId = await bills.source()
  const first = await bills.reading(sourceId, charges(6_000))
  await swap(first.id)
  const second = await bills.reading(sourceId, charges(3_000))
  await swap(second.id)
  const failed = await bills.reading(sourceId, charges(3))
  await bills.ask(
    `update billing_slices set state = 'refused' where organization_id = :organizationId and id = :id`,
    failed,
  )
  expect(await run()).toBe('more')
  expect(await left()).toMatchObject({ focus_charges: [first.id, second.id] })
  await Promise.all([drain(), drain()])
  expect(await left()).toEqual(inAll([second.id]))
  expect(await bills.seen()).toHaveLength(1)
  // A suspect one and one that is being read are still needed.
  const suspect = await bills.reading(sourceId, charges(3))
  expect(await swap(suspect.id)).toBe('suspect')
  const reading = await bills.reading(sourceId, charges(4))
  await drain()
  expect(await left()).toMatchObject({ focus_charges: [second.id, suspect.id, reading.id] })
})

test('a removed source is deleted with all that is stored of it, and no other', async () => {
  const kept = await bills.reading(await bills.source(), charges(2))
  await swap(kept.id)
  const { id, sourceId, ingestId } = await bills.reading(await bills.source(), charges(2))
  await swap(id)
  const reading = await bills.reading(sourceId, charges(1))
  await bills.ask(
    `with u as (insert into billing_uploads (organization_id, source_id, ingest_id)
       values (:organizationId, :sourceId, :ingestId) returning id),
     f as (insert into billing_upload_files (organization_id, upload_id, name)
       select :organizationId, id, 'a.csv' from u returning id)
     insert into billing_upload_chunks (organization_id, file_id, number, sealed)
       select :organizationId, id, n, '\\x00' from f, generate_series(1, 30) n`,
    { sourceId, ingestId },
  )
  await harness.deps.store.tenant(org.id, async (tenant) =>
    removeSource(tenant, await billingSources(tenant).get(sourceId), systemActor),
  )
  await drain()
  await drain()
  expect(await left()).toEqual(inAll([kept.id]))
  for (const table of ['billing_sources', 'billing_slices', 'billing_uploads'])
    expect(
      await bills.ask(`select 1 from ${table} where organization_id = :organizationId`),
      table,
    ).toHaveLength(table === 'billing_uploads' ? 0 : 1)
  expect(reading.id).not.toBe(kept.id)
})

const connected = async () => {
  const user = await org.user('Owner')
  const { id } = (await user.post('/api/cloud/accounts', awsAccount())).json().account
  const sourceId = await harness.deps.store.tenant(
    org.id,
    async (tenant) => (await billingSources(tenant).ensureForAccount(id)).id,
  )
  const slice = await bills.reading(sourceId, charges(2))
  await swap(slice.id)
  return { user, url: `/api/cloud/accounts/${id}`, slice }
}
const accounts = async () =>
  bills.ask('select id from cloud_accounts where organization_id = :organizationId')

test('an account that is disconnected keeps its cost', async () => {
  const { user, url, slice } = await connected()
  expect((await user.delete(`${url}?detach=true`)).statusCode).toBe(200)
  await forgetAccountsTask(harness.deps).run()
  await drain()
  expect(await left()).toEqual(inAll([slice.id]))
  expect(await bills.seen()).toHaveLength(1)
})

test('one that is purged loses it at once, and the account goes last', async () => {
  const { user, url } = await connected()
  expect((await user.delete(`${url}?purge=true`)).statusCode).toBe(200)
  expect(await bills.seen()).toEqual([])
  expect(await bills.version()).toBe(2)
  await forgetAccountsTask(harness.deps).run()
  expect(await accounts()).toHaveLength(1)
  await drain()
  await drain()
  expect(await left()).toEqual(inAll(null))
  await forgetAccountsTask(harness.deps).run()
  expect(await accounts()).toEqual([])
})
