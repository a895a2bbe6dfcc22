import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MockActivityEnvironment } from '@temporalio/testing'
import type { Deps } from '../../../activities/deps.ts'
import { createBillPlaces } from '../../../activities/finops/bill-places.ts'
import { discoverBills } from '../../../activities/finops/discover-bills.ts'
import { endBill } from '../../../activities/finops/end-bill.ts'
import { endIngest } from '../../../activities/finops/end-ingest.ts'
import { endSource } from '../../../activities/finops/end-source.ts'
import { nextSources } from '../../../activities/finops/next-sources.ts'
import { swapSlice } from '../../../activities/finops/swap-slice.ts'
import { takeBill } from '../../../activities/finops/take-bill.ts'
import type { IngestTrigger } from '../../../domain/finops/ingest-state.ts'
import { startIngest } from '../../../app/finops/start-ingest.ts'
import { createBillReader } from '../../../gateways/duckdb/create-bill-reader.ts'
import { readIngests } from '../../../store/finops/read-ingests.ts'
import type { BillInput, IngestInput } from '../../../workflows/finops/contract.ts'
import { connectedAccount } from '../clouds/cloud-rows.ts'
import type { Harness } from '../create-harness.ts'
import { BilledCloud } from './billed-cloud.ts'

type Needed = Pick<
  Deps,
  | 'store'
  | 'log'
  | 'keyring'
  | 'openCloud'
  | 'readBills'
  | 'billingDir'
  | 'billBytes'
  | 'billPlaces'
>

/** A reader of bills, and a folder for them, that a test file shares. */
export async function billReading(harness: Harness) {
  const folder = mkdtempSync(join(tmpdir(), 'cc-ingest-'))
  const config = { ...harness.config, dataDir: folder }
  const reader = await createBillReader(config, { slots: 1, log: harness.deps.log })
  return {
    billingDir: join(folder, 'billing'),
    readBills: reader.readBills,
    async close() {
      await reader.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
export type BillReading = Awaited<ReturnType<typeof billReading>>

/** An account of a new organization whose bills a test says. Each step is called as Temporal would call it. */
export async function ingestSteps(harness: Harness, reading: BillReading) {
  const org = await harness.organization()
  const accountId = await connectedAccount(harness, org.id)
  const { store, log, keyring } = harness.deps
  await store
    .platform('cloud_accounts')
    .where({ id: accountId })
    .update({ status: 'healthy', billing: Buffer.from('sealed') })
  const cloud = new BilledCloud()
  const deps: Needed = {
    store,
    log,
    keyring,
    openCloud: async () => cloud.asCloud(),
    readBills: reading.readBills,
    billingDir: reading.billingDir,
    billBytes: 1024 ** 3,
    billPlaces: createBillPlaces({ readers: 1, billBytes: 1024 ** 3 }),
  }
  const deliver = async <I, R>(
    activity: (needed: Needed) => (input: I) => Promise<R>,
    input: I,
    own: Partial<Needed> = {},
  ): Promise<R> =>
    new MockActivityEnvironment({ attempt: 1 }).run(activity({ ...deps, ...own }), input)
  const begin = async (trigger: IngestTrigger = 'request') => {
    if (trigger === 'schedule')
      await store
        .platform('cloud_accounts')
        .where({ id: accountId })
        .update({ nextIngestAt: new Date(0) })
    const { ingestId } = await store.tenant(org.id, async (tenant) =>
      startIngest(tenant, { trigger }),
    )
    return { organizationId: org.id, ingestId }
  }
  const shown = async (ingestId: number) =>
    store.tenant(org.id, async (tenant) => {
      const ingests = readIngests(tenant)
      const start = { sourceId: 0, sliceId: 0 }
      const { sources, slices } = await ingests.outcome(ingestId, start)
      return { ...(await ingests.get(ingestId)), sources, slices }
    })

  const api = {
    org,
    organizationId: org.id,
    accountId,
    cloud,
    deliver,
    begin,
    shown,
    /** Ends an ingest whose bills are over. */
    async close(input: IngestInput) {
      const { sourceIds } = await deliver(nextSources, input)
      for (const sourceId of sourceIds) await deliver(endSource, { ...input, sourceId })
      await deliver(endIngest, input)
    },
    /** An hourly look, which nobody asked for. */
    hourly: async () => api.ingest(1, {}, 'schedule'),
    /** All steps of the workflow, each called `times` times in a row. */
    async ingest(times = 1, own: Partial<Needed> = {}, trigger: IngestTrigger = 'request') {
      return api.run(await begin(trigger), times, own)
    },
    async run(input: IngestInput, times = 1, own: Partial<Needed> = {}) {
      const repeat = async <R>(step: () => Promise<R>): Promise<R> => {
        for (let n = 1; n < times; n += 1) await step()
        return step()
      }
      const { sourceIds } = await repeat(async () => deliver(nextSources, input))
      for (const sourceId of sourceIds) {
        const at = { ...input, sourceId }
        const { sliceIds, uploadIds } = await repeat(async () => deliver(discoverBills, at))
        const bills: BillInput[] = [
          ...sliceIds.map((sliceId) => ({ ...at, sliceId })),
          ...uploadIds.map((uploadId) => ({ ...at, uploadId })),
        ]
        for (const bill of bills) {
          const taken = await repeat(async () => deliver(takeBill, bill, own))
          for (const sliceId of taken.sliceIds)
            await repeat(async () => deliver(swapSlice, { ...at, sliceId }))
          await repeat(async () => deliver(endBill, bill))
        }
        await repeat(async () => deliver(endSource, at))
      }
      await repeat(async () => deliver(endIngest, input))
      return shown(input.ingestId)
    },
    /** What readers see: the charges and sums of current slices. */
    async seen() {
      const { rows } = await store.platform.raw(
        `select s.period::text, count(*)::int as charges, sum(c.billed_cost)::float8 as billed,
           (select sum(d.billed)::float8 from cost_daily d
             where d.organization_id = s.organization_id and d.slice_id = s.id) as summed
         from billing_slices s join focus_charges c on c.organization_id = s.organization_id and c.slice_id = s.id
         where s.organization_id = ? and s.is_current group by s.organization_id, s.id, s.period order by 1`,
        [org.id],
      )
      return rows
    },
  }
  return api
}
