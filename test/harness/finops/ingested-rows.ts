import { readdir } from 'node:fs/promises'
import { copyColumns } from '../../../domain/finops/focus/charge-columns.ts'
import type { Harness } from '../create-harness.ts'

const sums: Record<string, string> = {
  cost_daily: 'day, provider, service, region, charge_category, owner, currency',
  cost_monthly: 'provider, service, region, charge_category, owner, currency',
  cost_resources: 'resource_id, first_day, last_day',
}

/**
 * All that an ingest leaves of an organization's bills, without ids and times: two organizations with the same
 * bills have the same. `strays` are rows that belong to no current slice.
 */
export async function ingestedRows(harness: Harness, organizationId: number) {
  const { platform } = harness.deps.store
  const ask = async (sql: string): Promise<Array<Record<string, unknown>>> =>
    (await platform.raw(sql, { organizationId })).rows
  const current = `join billing_slices s on s.organization_id = c.organization_id and s.id = c.slice_id
    and s.is_current where c.organization_id = :organizationId`
  const charges = copyColumns.map((name) => `c.${name}`).join(', ')
  const found: Record<string, unknown> = {
    slices: await ask(
      `select period::text, records, billed::text, effective::text, days, first_day::text, last_day::text
       from billing_slices where organization_id = :organizationId and is_current order by period`,
    ),
    charges: await ask(`select ${charges} from focus_charges c ${current} order by c.digest`),
    days: await ask(
      `select d.day::text, d.actual::text, d.expected from anomaly_days d
       where d.organization_id = :organizationId order by d.series_id, d.day`,
    ),
    // Once for each slice that readers ever saw.
    loaded: await ask(
      `select count(*)::int as times from audit_entries
       where organization_id = :organizationId and event = 'finops.slice_loaded'`,
    ),
  }
  for (const [table, columns] of Object.entries(sums)) {
    const own = columns.split(', ').map((name) => `c.${name}::text`)
    found[table] = await ask(
      `select ${own.join(', ')}, c.billed::text, c.effective::text, c.list::text
       from ${table} c ${current} order by ${own.map((_, at) => at + 1).join(', ')}`,
    )
  }
  return found
}

/** Rows of slices that readers do not see, and slices that are still being read. */
export async function strayRows(harness: Harness, organizationId: number): Promise<number> {
  const of = (table: string) =>
    `(select count(*)::int from ${table} c where c.organization_id = :organizationId and not exists (
       select from billing_slices s where s.organization_id = c.organization_id and s.id = c.slice_id
         and s.is_current))`
  const { rows } = await harness.deps.store.platform.raw(
    `select ${['focus_charges', ...Object.keys(sums)].map(of).join(' + ')}
       + (select count(*)::int from billing_slices where organization_id = :organizationId
           and state = 'reading') as strays`,
    { organizationId },
  )
  return rows[0].strays
}

/** The folders of bills that workers of this harness left on the disk. */
export const foldersOfBills = async ({ config }: Harness): Promise<string[]> =>
  readdir(config.billingDir).catch((): string[] => [])
