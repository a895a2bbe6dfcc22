import { unwrap } from '../../../store/driver/tenant.ts'
import type { Harness } from '../../harness/create-harness.ts'

export type DaySum = {
  /** Days before today, UTC. */
  ago?: number
  day?: string
  amount: number | string
  provider?: string
  service?: string
  subAccountId?: string
  workspaceId?: number
  currency?: string
  tags?: Record<string, string>
}

export type BillOfSums = {
  organizationId: number
  /** Of an upload, unless a cloud account is named. */
  source?: string
  accountId?: number
  completeThrough?: string
  providerNames?: Record<string, string[]>
  rows: DaySum[]
}

export const dayAgo = (days: number): string =>
  new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

/** The sums of a bill as if it had just been loaded: what budgets read. Its slices replace those of an earlier call. */
export async function loadSums(harness: Harness, bill: BillOfSums): Promise<void> {
  const { organizationId, source = 'bill', accountId, completeThrough = dayAgo(1) } = bill
  await harness.deps.store.tenant(organizationId, async (tenant) => {
    const { db } = unwrap(tenant)
    const names = accountId === undefined ? { name: source } : { cloudAccountId: accountId }
    const known = await db('billing_sources')
      .where({ organizationId, ...names })
      .first('id')
    const [made] = known
      ? [known]
      : await db('billing_sources')
          .insert({ organizationId, ...names })
          .returning('id')
    const [ingest] = await db('billing_ingests')
      .insert({ organizationId, trigger: 'upload', state: 'succeeded', endedAt: new Date() })
      .returning('id')
    const at = { organizationId, sourceId: made.id }
    const days = bill.rows.map((row) => ({ ...row, day: row.day ?? dayAgo(row.ago ?? 0) }))
    for (const period of new Set(days.map(({ day }) => `${day.slice(0, 7)}-01`))) {
      await db('billing_slices')
        .where({ ...at, period })
        .update({ isCurrent: false, state: 'superseded' })
      const [slice] = await db('billing_slices')
        .insert({
          ...at,
          ingestId: ingest.id,
          period,
          state: 'loaded',
          isCurrent: true,
          providerNames: JSON.stringify(bill.providerNames ?? { aws: ['Amazon Web Services'] }),
          firstDay: period,
          lastDay: completeThrough,
          completeThrough,
        })
        .returning('id')
      const rows = days
        .filter(({ day }) => day.startsWith(period.slice(0, 7)))
        .map((row) => ({ row, stored: columnsOf({ ...at, sliceId: slice.id }, row) }))
      await db('cost_daily').insert(rows.map(({ stored }) => stored))
      const tags = rows.flatMap(({ row, stored }) =>
        Object.entries(row.tags ?? {}).map(([tagKey, tagValue]) => ({
          ...stored,
          keyHash: db.raw('hashtext(?)', [tagKey]),
          tagKey,
          tagValue,
        })),
      )
      if (tags.length > 0) await db('cost_tag_daily').insert(tags)
    }
    await db('cost_versions')
      .insert({ organizationId })
      .onConflict('organizationId')
      .merge({ version: db.raw('cost_versions.version + 1') })
  })
}

const columnsOf = (
  at: { organizationId: number; sourceId: number; sliceId: number },
  { day, amount, provider = 'aws', service = 'Amazon EC2', currency = 'USD', ...row }: DaySum,
) => ({
  ...at,
  day,
  provider,
  service,
  subAccountId: row.subAccountId ?? null,
  chargeCategory: 'Usage',
  owner: row.workspaceId === undefined ? 'none' : 'workspace',
  workspaceId: row.workspaceId ?? null,
  currency,
  billed: amount,
  effective: amount,
  list: amount,
})
