import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { copyColumns } from '../../domain/finops/focus/charge-columns.ts'
import { formatDecimal, parseDecimal } from '../../domain/finops/decimal.ts'
import type { Store } from '../../store/driver/connect.ts'
import { unwrap } from '../../store/driver/tenant.ts'
import { billingSources } from '../../store/finops/billing-sources.ts'
import { copyCharges } from '../../store/finops/copy-charges.ts'

/** By the columns of a charge; what is left out has a usual value. */
export type TestCharge = Partial<Record<string, string | null>>

export type TestSlice = { id: number; sourceId: number; ingestId: number; period: string }

const usual: TestCharge = {
  day: '2026-03-01',
  provider: 'aws',
  provider_name: 'Amazon Web Services',
  billed_cost: '1',
  effective_cost: '1',
  billing_currency: 'USD',
  charge_category: 'Usage',
  service_name: 'S3',
}

/** The reader's file: CSV, in which null is nothing at all. */
const copyFile = (charges: readonly TestCharge[]): string =>
  charges
    .map((given) => {
      const charge: TestCharge = { digest: randomUUID(), ...usual, ...given }
      const cell = (text: string | null | undefined) =>
        text === undefined || text === null ? '' : `"${text.replaceAll('"', '""')}"`
      return `${copyColumns.map((name) => cell(charge[name])).join(',')}\n`
    })
    .join('')

const sumOf = (charges: readonly TestCharge[], name: string): string =>
  formatDecimal(
    charges.reduce((sum, charge) => sum + parseDecimal({ ...usual, ...charge }[name] ?? '0'), 0n),
  )

/** Bills of one organization, as an ingest leaves them. */
export function testBills(store: Store, organizationId: number) {
  const ask = async (sql: string, values: Record<string, unknown> = {}) =>
    store.tenant(
      organizationId,
      async (tenant): Promise<Array<Record<string, unknown>>> =>
        (await unwrap(tenant).db.raw(sql, { organizationId, ...values })).rows,
    )
  const idOf = ([row]: Array<Record<string, unknown>>): number => Number(row?.['id'])

  return {
    ask,

    async source(name = `upload-${randomUUID().slice(0, 8)}`): Promise<number> {
      return store.tenant(
        organizationId,
        async (tenant) => (await billingSources(tenant).ensureNamed(name)).id,
      )
    },

    /** A slice whose charges are copied, and that is still being read. */
    async reading(
      sourceId: number,
      charges: readonly TestCharge[],
      period = '2026-03-01',
    ): Promise<TestSlice> {
      const ingestId = idOf(
        await ask(`insert into billing_ingests (organization_id, trigger, state, ended_at)
          values (:organizationId, 'upload', 'succeeded', now()) returning id`),
      )
      const days = charges.map((charge) => charge['day'] ?? usual['day'] ?? '').toSorted()
      const id = idOf(
        await ask(
          `insert into billing_slices (organization_id, ingest_id, source_id, period, state, records, days,
             billed, effective, list, first_day, last_day)
           values (:organizationId, :ingestId, :sourceId, :period, 'reading', :records, :days, :billed,
             :effective, :list, :first, :last) returning id`,
          {
            ingestId,
            sourceId,
            period,
            records: charges.length,
            days: new Set(days).size,
            billed: sumOf(charges, 'billed_cost'),
            effective: sumOf(charges, 'effective_cost'),
            list: sumOf(charges, 'list_cost'),
            first: days[0] ?? null,
            last: days.at(-1) ?? null,
          },
        ),
      )
      await copyCharges(store, { organizationId, sliceId: id }, () =>
        Readable.from([copyFile(charges)]),
      )
      return { id, sourceId, ingestId, period }
    },

    async slice(id: number): Promise<Record<string, unknown>> {
      const [row] = await ask(
        `select state, is_current, records_upserted, records_removed, complete_through, provider_names, reason
         from billing_slices where organization_id = :organizationId and id = :id`,
        { id },
      )
      if (!row) throw new Error('no such slice')
      return row
    },

    /** What readers see: the sums of current slices. */
    async seen(): Promise<Array<Record<string, unknown>>> {
      return ask(`
        select c.slice_id, c.day, c.service, c.owner, c.workspace_id, trim_scale(c.effective)::text as effective
        from billing_slices s
          join billing_sources b on b.organization_id = s.organization_id and b.id = s.source_id
          join cost_daily c on c.organization_id = s.organization_id and c.slice_id = s.id
        where s.organization_id = :organizationId and s.is_current and b.removed_at is null
        order by c.day, c.service, c.owner, c.workspace_id`)
    },

    async version(): Promise<number> {
      const [row] = await ask(
        'select version from cost_versions where organization_id = :organizationId',
      )
      return Number(row?.['version'] ?? 0)
    },
  }
}
