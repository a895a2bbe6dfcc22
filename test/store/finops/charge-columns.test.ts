import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chargeColumns } from '../../../domain/finops/focus/charge-columns.ts'
import { unwrap } from '../../../store/driver/tenant.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'

const typeNames: Record<string, string> = {
  cost: 'numeric(30,12)',
  quantity: 'numeric(38,15)',
  timestamptz: 'timestamp with time zone',
}

describe('the table of charges', () => {
  let harness: Harness
  let org: TestOrganization
  beforeAll(async () => {
    harness = await createHarness()
    org = await harness.organization()
  })
  afterAll(async () => harness.close())

  const ask = async (sql: string): Promise<Array<Record<string, unknown>>> =>
    harness.deps.store.tenant(org.id, async (tenant) => (await unwrap(tenant).db.raw(sql)).rows)

  test('it has the columns of the reader’s file, and beside them those of the slice', async () => {
    const rows = await ask(`
      select attname as name, format_type(atttypid, atttypmod) as type, attnotnull as required
      from pg_attribute where attrelid = 'focus_charges'::regclass and attnum > 0
        and attname not in ('organization_id', 'slice_id', 'period') order by attnum`)
    expect(rows).toEqual(
      chargeColumns.map((column) => ({
        name: column.name,
        type: typeNames[column.type] ?? column.type,
        required: column.required ?? false,
      })),
    )
  })

  test('a charge is added to a partition alone, and to no organization of the caller’s choice', async () => {
    const [made] = await ask(`select ensure_charge_partition('2026-03-01') as name`)
    expect(made).toEqual({ name: 'focus_charges_2026_03' })
    // Made already: the same answer.
    expect(await ask(`select ensure_charge_partition('2026-03-01') as name`)).toEqual([made])
    const columns = `day, digest, provider, provider_name, charge_category, service_name, billing_currency,
      billed_cost, effective_cost`
    const values = `'2026-03-02', gen_random_uuid(), 'aws', 'AWS', 'Usage', 'S3', 'USD', 1, 1`
    const insert = (table: string, column = '', value = '') =>
      `insert into ${table} (${columns}${column}) values (${values}${value})`
    const partition = 'focus_charges_2026_03'
    for (const refused of [
      insert('focus_charges'),
      insert(partition, ', organization_id', `, ${org.id}`),
      insert(partition, ', slice_id', ', 1'),
      insert(partition, ', period', `, '2026-03-01'`),
      `select * from ${partition}`,
      `delete from ${partition}`,
      'update focus_charges set billed_cost = 0',
    ])
      await expect(ask(refused), refused).rejects.toThrow(/permission denied/)
    const settings = `set_config('cc.slice_id', '1', true), set_config('cc.period', '2026-03-01', true)`
    await ask(`with s as materialized (select ${settings}) select 1 from s; ${insert(partition)}`)
    const [added] = await ask('select organization_id as org, slice_id as slice from focus_charges')
    expect(added).toEqual({ org: org.id, slice: 1 })
  })

  test.each(['2026-03-02', '1999-12-01', '2199-01-01'])('no partition of %s', async (month) => {
    await expect(ask(`select ensure_charge_partition('${month}')`)).rejects.toThrow(
      /not a month of bills/,
    )
  })
})
