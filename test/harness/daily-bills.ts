import { dayAfter } from '../../domain/finops/anomalies/days.ts'
import type { Store } from '../../store/driver/connect.ts'
import { unwrap } from '../../store/driver/tenant.ts'

type Line = {
  service?: string
  subAccountId?: string | null
  day: string
  effective: number
  category?: string
  currency?: string
  tags?: Record<string, string>
}

/** Sums of bills by day, as a swap leaves them: what is scored. */
export function dailyBills(store: Store, organizationId: number) {
  const ask = async (sql: string, values: Record<string, unknown> = {}) =>
    store.tenant(organizationId, async (tenant): Promise<Array<Record<string, unknown>>> => {
      const { rows } = await unwrap(tenant).db.raw(sql, { organizationId, ...values })
      return rows
    })
  const idOf = ([row]: Array<Record<string, unknown>>) => Number(row?.['id'])

  return {
    ask,

    async source(name = 'uploaded'): Promise<number> {
      return idOf(
        await ask(
          'insert into billing_sources (organization_id, name) values (:organizationId, :name) returning id',
          { name },
        ),
      )
    },

    /** Replaces the slices of all months that the lines touch. */
    async load(
      sourceId: number,
      lines: readonly Line[],
    ): Promise<Array<{ sourceId: number; period: string }>> {
      const months = Map.groupBy(lines, ({ day }) => day.slice(0, 7))
      for (const [month, ofMonth] of months) {
        const days = ofMonth.map(({ day }) => day).toSorted()
        await ask(
          `update billing_slices set is_current = false, state = 'superseded'
           where organization_id = :organizationId and source_id = :sourceId and period = :period and is_current`,
          { sourceId, period: `${month}-01` },
        )
        const ingestId = idOf(
          await ask(`insert into billing_ingests (organization_id, trigger, state, ended_at)
            values (:organizationId, 'upload', 'succeeded', now()) returning id`),
        )
        const sliceId = idOf(
          await ask(
            `insert into billing_slices (organization_id, ingest_id, source_id, period, state, is_current,
               first_day, last_day, complete_through, provider_names)
             values (:organizationId, :ingestId, :sourceId, :period, 'loaded', true, :first, :last, :last,
               '{"aws": ["Amazon Web Services"]}')
             returning id`,
            {
              ingestId,
              sourceId,
              period: `${month}-01`,
              first: days[0] ?? null,
              last: days.at(-1) ?? null,
            },
          ),
        )
        await ask(
          `with lines as (
             select :organizationId::integer as organization_id, :sliceId::integer as slice_id,
               :sourceId::integer as source_id, day, 'aws' as provider, service, sub_account_id,
               category as charge_category, 'none' as owner, currency, effective as billed, effective,
               effective as list, tags
             from jsonb_to_recordset(:lines::jsonb) as l (day date, service text, sub_account_id text,
               category text, effective numeric, currency text, tags jsonb)),
           tagged as (
             insert into cost_tag_daily (organization_id, slice_id, source_id, day, provider, service,
               sub_account_id, charge_category, owner, currency, billed, effective, list, key_hash, tag_key, tag_value)
             select organization_id, slice_id, source_id, day, provider, service, sub_account_id, charge_category,
               owner, currency, billed, effective, list, hashtext(t.key), t.key, t.value
             from lines, jsonb_each_text(tags) t)
           insert into cost_daily (organization_id, slice_id, source_id, day, provider, service, sub_account_id,
             charge_category, owner, currency, billed, effective, list)
           select organization_id, slice_id, source_id, day, provider, service, sub_account_id, charge_category,
             owner, currency, billed, effective, list from lines`,
          {
            sliceId,
            sourceId,
            lines: JSON.stringify(
              ofMonth.map(
                ({
                  service = 'S3',
                  subAccountId = null,
                  category = 'Usage',
                  currency = 'USD',
                  tags = {},
                  ...line
                }) => ({
                  ...line,
                  service,
                  category,
                  currency,
                  tags,
                  sub_account_id: subAccountId,
                }),
              ),
            ),
          },
        )
      }
      return [...months.keys()].map((period) => ({ sourceId, period }))
    },
  }
}

/** A level cost from a day on, with its exceptions by index. */
export const levelCost = (
  firstDay: string,
  count: number,
  {
    level = 100,
    at = {},
    ...rest
  }: { level?: number; at?: Record<number, number> } & Partial<Line> = {},
): Line[] =>
  Array.from({ length: count }, (_, index) => ({
    ...rest,
    day: dayAfter(firstDay, index),
    effective: at[index] ?? level + (index % 3),
  }))
