import type { CloudProvider } from '../../domain/clouds/cloud-account.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import { isLateBill } from './late-bill.ts'

export type NamedSource = {
  id: number
  /** What people call it. */
  name: string
  cloudAccountId: number | null
  provider: CloudProvider | null
}
export type Lateness = NamedSource & {
  isLate: boolean
  /** People were told of it. */
  isNoted: boolean
  /** Null before its first bill. */
  completeThrough: string | null
  /** Of the newest ingest that had one. */
  reason: string | null
}

/** What people were told of the sources of one organization. */
export function sourceHealth(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)
  const rows = () => db('billing_sources').where({ organizationId }).whereNull('removedAt')

  return {
    /** Undefined if it was removed. */
    async named(id: number): Promise<NamedSource | undefined> {
      const { rows: found } = await db.raw(named, { organizationId, id })
      return found[0]
    },

    /** Compare-and-swap: answers those that were well until now. */
    async noteFailing(ids: readonly number[]): Promise<number[]> {
      const moved: Array<{ id: number }> = await rows()
        // One value: a statement has room for 65,535, and an ingest may have more sources.
        .whereRaw('id = any(?::integer[])', [[...ids]])
        .whereNull('failingSince')
        .update({ failingSince: db.fn.now() })
        .returning('id')
      return moved.map(({ id }) => id).toSorted((a, b) => a - b)
    },

    async noteWell(id: number): Promise<void> {
      await rows().where({ id }).whereNotNull('failingSince').update({ failingSince: null })
    },

    /** Locks the source until the transaction ends. Undefined if no bill of it is expected. */
    async holdLateness(id: number): Promise<Lateness | undefined> {
      await rows().where({ id }).forNoKeyUpdate().first('id')
      const { rows: found } = await db.raw(lateness, { organizationId, id })
      return found[0]
    },

    async noteLate(id: number, isLate: boolean): Promise<void> {
      await rows()
        .where({ id })
        .update({ lateSince: isLate ? db.fn.now() : null })
    },
  }
}

const named = `
  select s.id, coalesce(s.name, a.name, '') as name, s.cloud_account_id as "cloudAccountId", a.provider
  from billing_sources s
    left join cloud_accounts a on a.organization_id = s.organization_id and a.id = s.cloud_account_id
  where s.organization_id = :organizationId and s.id = :id and s.removed_at is null`

/** SQL: a bill whose source `b` and account `a` have one that comes by itself, and the day `through` which it is there. */
export const expectedBills = `
  billing_sources b
  join cloud_accounts a on a.organization_id = b.organization_id and a.id = b.cloud_account_id
    and a.disconnected_at is null and a.billing is not null
  cross join lateral (select max(coalesce(s.complete_through, s.last_day)) as through from billing_slices s
    where s.organization_id = b.organization_id and s.source_id = b.id and s.is_current) l`

/** SQL: before its first bill, a source is late as if it had been complete when it was connected. */
export const isLateSource = isLateBill({
  through: 'coalesce(l.through, b.created_at::date)',
  provider: 'a.provider',
  today: `(now() at time zone 'utc')::date`,
})

const lateness = `
  select b.id, a.name, b.cloud_account_id as "cloudAccountId", a.provider, ${isLateSource} as "isLate",
    b.late_since is not null as "isNoted", l.through::text as "completeThrough",
    (select i.reason from billing_ingest_sources i
      where i.organization_id = b.organization_id and i.source_id = b.id
      order by i.ingest_id desc limit 1) as reason
  from ${expectedBills}
  where b.organization_id = :organizationId and b.id = :id and b.removed_at is null`
