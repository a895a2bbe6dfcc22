import type { Knex } from 'knex'
import { asTenant } from '../../store/driver/tenant.ts'
import { rollUp } from '../../store/finops/roll-up.ts'
import { rollUpMonths } from '../../store/finops/roll-up-months.ts'

/** A charge at day grain, as the sums of a slice have it. Amounts are decimal text. */
export type TestCharge = {
  /** The name of an upload, or the id of a cloud account. */
  source: string | number
  period: string
  day: string
  provider: string
  service: string
  subAccount: string | null
  region: string | null
  category: string
  owner: 'workspace' | 'unmanaged' | 'none'
  workspaceId: number | null
  currency: string
  billed: string
  effective: string
  list: string
  tags: Record<string, string>
}

export const charge = (of: Partial<TestCharge>): TestCharge => ({
  source: 'upload',
  period: `${(of.day ?? '2026-03-10').slice(0, 7)}-01`,
  day: '2026-03-10',
  provider: 'aws',
  service: 'Compute',
  subAccount: null,
  region: null,
  category: 'Usage',
  owner: 'none',
  workspaceId: null,
  currency: 'USD',
  billed: of.effective ?? '1',
  effective: '1',
  list: of.effective ?? '1',
  tags: {},
  ...of,
})

/** Stores these charges as the current slices of their sources and months, and raises the cost version. */
export async function storeCharges(
  db: Knex,
  organizationId: number,
  charges: readonly TestCharge[],
): Promise<void> {
  const [ingest] = await db('billing_ingests')
    .insert({ organizationId, trigger: 'upload', state: 'succeeded', endedAt: new Date() })
    .returning('id')
  for (const [of, rows] of Map.groupBy(charges, ({ source, period }) => `${source} ${period}`)) {
    const [first] = rows
    if (!first) throw new Error(`${of} has no rows`)
    const sourceId = await sourceOf(db, organizationId, first.source)
    const days = rows.map(({ day }) => day).toSorted()
    await db('billing_slices')
      .where({ organizationId, sourceId, period: first.period, isCurrent: true })
      .update({ isCurrent: false, state: 'superseded' })
    const [slice] = await db('billing_slices')
      .insert({
        organizationId,
        ingestId: ingest.id,
        sourceId,
        period: first.period,
        state: 'loaded',
        isCurrent: true,
        records: rows.length,
        providerNames: JSON.stringify({ aws: ['Amazon Web Services'], azure: ['Microsoft'] }),
        firstDay: days[0],
        lastDay: days.at(-1),
        completeThrough: days.at(-1),
        loadedAt: new Date(),
      })
      .returning('id')
    await storeSums(db, { organizationId, sliceId: slice.id, sourceId }, rows)
    await db.transaction(async (trx) => rollUpMonths(asTenant(trx, organizationId), slice.id))
  }
  await raiseVersion(db, organizationId)
}

export const raiseVersion = async (db: Knex, organizationId: number): Promise<unknown> =>
  db.raw(
    `insert into cost_versions (organization_id) values (?)
     on conflict (organization_id) do update set version = cost_versions.version + 1, changed_at = now()`,
    [organizationId],
  )

async function sourceOf(
  db: Knex,
  organizationId: number,
  source: string | number,
): Promise<number> {
  const of = typeof source === 'number' ? { cloudAccountId: source } : { name: source }
  const found = await db('billing_sources')
    .where({ organizationId, ...of })
    .first('id')
  if (found) return found.id
  const [made] = await db('billing_sources')
    .insert({ organizationId, ...of })
    .returning('id')
  return made.id
}

type Slice = { organizationId: number; sliceId: number; sourceId: number }

async function storeSums(db: Knex, slice: Slice, charges: readonly TestCharge[]): Promise<void> {
  const rows = charges.map((of) => ({
    ...slice,
    day: of.day,
    provider: of.provider,
    service: of.service,
    subAccountId: of.subAccount,
    region: of.region,
    chargeCategory: of.category,
    owner: of.owner,
    workspaceId: of.workspaceId,
    currency: of.currency,
    billed: of.billed,
    effective: of.effective,
    list: of.list,
  }))
  await db.batchInsert('cost_daily', rows, 500)
  const tagged = charges.flatMap(({ tags }, n) =>
    Object.entries(tags).map(([tagKey, tagValue]) => ({
      ...rows[n],
      tagKey,
      tagValue,
      keyHash: db.raw('hashtext(?)', [tagKey]),
    })),
  )
  if (tagged.length > 0) await db.batchInsert('cost_tag_daily', tagged, 500)
  await db.raw(
    `insert into cost_tag_keys (organization_id, slice_id, tag_key, currency, billed, effective, list)
     select organization_id, slice_id, tag_key, currency, sum(billed), sum(effective), sum(list)
     from cost_tag_daily where organization_id = ? and slice_id = ? group by 1, 2, 3, 4`,
    [slice.organizationId, slice.sliceId],
  )
}

/** A charge of a resource as the loader stores it. */
export type TestResourceCharge = {
  day: string
  resourceId: string | null
  effective: string
  service?: string
  currency?: string
  tags?: Record<string, string>
}

/** Stores charges of one bill as the loader does, a slice a month, and makes their sums. */
export async function loadCharges(
  { owner, db, organizationId }: { owner: Knex; db: Knex; organizationId: number },
  charges: readonly TestResourceCharge[],
): Promise<void> {
  await storeCharges(
    db,
    organizationId,
    charges.map(({ day }) => charge({ day })),
  )
  const slices = await db('billing_slices').where({ organizationId, isCurrent: true })
  for (const slice of slices) {
    await owner.raw('select ensure_charge_partition(?)', [slice.period])
    const rows = charges
      .filter(({ day }) => day.slice(0, 7) === slice.period.slice(0, 7))
      .map((of, n) => chargeRow(slice, of, n))
    await owner.batchInsert('focus_charges', rows, 500)
    await owner.transaction(async (trx) => rollUp(asTenant(trx, organizationId), slice))
  }
  await raiseVersion(db, organizationId)
}

const chargeRow = (
  slice: { organizationId: number; id: number; period: string },
  {
    day,
    effective,
    resourceId,
    service = 'Storage',
    currency = 'USD',
    tags = {},
  }: TestResourceCharge,
  n: number,
) => ({
  day,
  organizationId: slice.organizationId,
  sliceId: slice.id,
  period: slice.period,
  digest: `00000000-0000-0000-0000-${String(n).padStart(12, '0')}`,
  provider: 'aws',
  providerName: 'AWS',
  billedCost: effective,
  effectiveCost: effective,
  billingCurrency: currency,
  chargeCategory: 'Usage',
  serviceName: service,
  resourceId,
  resourceName: resourceId,
  tags: JSON.stringify(tags),
})
