import type { AccountCheck, AccountStatus } from '../../domain/clouds/cloud-account.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'

export type BillingAccount = {
  id: number
  status: AccountStatus
  statusReason: string | null
  checks: AccountCheck[]
  hasBilling: boolean
}

/** What the ingests of one organization are to look at. */
export function ingestPlans(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  return {
    /** The connected accounts; `due`: those alone whose bills are to be read by now. */
    async accounts(which: 'all' | 'due'): Promise<BillingAccount[]> {
      const accounts = db('cloud_accounts').where({ organizationId }).whereNull('disconnectedAt')
      if (which === 'due') accounts.whereNotNull('billing').where('nextIngestAt', '<=', db.fn.now())
      return accounts
        .orderBy('id')
        .select(
          'id',
          'status',
          'statusReason',
          'checks',
          db.raw('billing is not null as "hasBilling"'),
        )
    },

    /** Adds the accounts to the ingest, each with why it is skipped, and plans their next one. */
    async addAccounts(
      ingestId: number,
      accounts: ReadonlyArray<{ id: number; skipped: string | null }>,
    ): Promise<void> {
      if (accounts.length === 0) return
      const ids = accounts.map(({ id }) => id)
      const at = { organizationId, ingestId, accounts: JSON.stringify(accounts) }
      await db.raw(addSources, { organizationId, ids })
      await db.raw(addAccounts, at)
      await db.raw(planNext, at)
    },

    /** Adds the sources whose uploads wait, but for those that this ingest put back. */
    async addUploads(ingestId: number): Promise<void> {
      await db.raw(addUploads, { organizationId, ingestId })
    },
  }
}

const addSources = `
  insert into billing_sources (organization_id, cloud_account_id)
  select :organizationId, a.id from unnest(:ids::integer[]) as a (id)
  on conflict (organization_id, cloud_account_id) where removed_at is null do nothing`

// In a further round of the same ingest a source waits again.
const ofAccounts = `
  from jsonb_to_recordset(:accounts::jsonb) as a (id integer, skipped text)`
const waitsAgain = `
  on conflict (organization_id, ingest_id, source_id) do update set state = excluded.state, reason = excluded.reason`
const addAccounts = `
  insert into billing_ingest_sources (organization_id, ingest_id, source_id, state, reason)
  select :organizationId, :ingestId, s.id, case when a.skipped is null then 'waiting' else 'skipped' end, a.skipped
  ${ofAccounts} join billing_sources s
    on s.organization_id = :organizationId and s.cloud_account_id = a.id and s.removed_at is null
  ${waitsAgain}`

const addUploads = `
  insert into billing_ingest_sources (organization_id, ingest_id, source_id, state)
  select distinct u.organization_id, :ingestId::integer, u.source_id, 'waiting'
  from billing_uploads u join billing_sources s on s.organization_id = u.organization_id and s.id = u.source_id
  where u.organization_id = :organizationId and u.state = 'waiting' and s.removed_at is null
    and u.ingest_id is distinct from :ingestId::integer
  ${waitsAgain}`

const planNext = `
  update cloud_accounts c set next_ingest_at = now() + make_interval(hours => c.ingest_interval_hours)
  ${ofAccounts} where c.organization_id = :organizationId and c.id = a.id and a.skipped is null`
