import type { Coverage } from '../../domain/clouds/cloud-account.ts'
import type { SyncState, SyncTrigger } from '../../domain/clouds/sync-state.ts'
import { maxLiveSyncs } from '../../domain/clouds/max-live-syncs.ts'
import { notFound } from '../../domain/errors.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'

export type CloudSync = {
  id: number
  cloudAccountId: number
  trigger: SyncTrigger
  state: SyncState
  reason: string | null
  coverage: Coverage | null
  seen: number
  added: number
  changed: number
  gone: number
  startedAt: Date
  endedAt: Date | null
}

const columns = [
  'id',
  'cloudAccountId',
  'trigger',
  'state',
  'reason',
  'coverage',
  'seen',
  'added',
  'changed',
  'gone',
  'startedAt',
  'endedAt',
]

type Begun = { sync: CloudSync; isNew: boolean }

/** The first key of the advisory lock, arbitrary; the second is the organization. */
const beginLock = 726_199_447

/** The syncs of one organization's cloud accounts, and what became of each place. */
export function cloudSyncs(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  const rows = () => db('cloud_syncs').where({ organizationId })
  const live = async (cloudAccountId: number): Promise<CloudSync | undefined> =>
    rows().where({ cloudAccountId, state: 'running' }).first(columns)

  return {
    live,

    /** The account's live sync, new unless there was one. Undefined if the organization has too many. */
    async begin(cloudAccountId: number, trigger: SyncTrigger): Promise<Begun | undefined> {
      const joined = await live(cloudAccountId)
      if (joined) return { sync: joined, isNew: false }
      if (!(await mayBegin(tenant))) return undefined
      const [made] = await db('cloud_syncs')
        .insert({ organizationId, cloudAccountId, trigger })
        .onConflict(db.raw(`(cloud_account_id) where state = 'running'`))
        .ignore()
        .returning(columns)
      if (made) return { sync: made, isNew: true }
      const sync = await live(cloudAccountId)
      // Ended between the two statements.
      return sync ? { sync, isNew: false } : this.begin(cloudAccountId, trigger)
    },

    async get(cloudAccountId: number, id: number): Promise<CloudSync> {
      const row = await rows().where({ cloudAccountId, id }).first(columns)
      if (!row) throw notFound()
      return row
    },

    async find(id: number): Promise<CloudSync | undefined> {
      return rows().where({ id }).first(columns)
    },

    /** Newest first. */
    async list(cloudAccountId: number, limit: number, before: number): Promise<CloudSync[]> {
      return rows()
        .where({ cloudAccountId })
        .where('id', '<', before)
        .orderBy('id', 'desc')
        .limit(limit)
        .select(columns)
    },

    /** Only the call that ends the sync gets `true`. What was staged is dropped, with what roles may read. */
    async end(
      id: number,
      { state, reason }: { state: Exclude<SyncState, 'running'>; reason: string | null },
    ): Promise<boolean> {
      const { rowCount } = await db.raw(endSync, { state, reason, organizationId, id })
      if (rowCount === 1) await dropStaged(tenant, id)
      return rowCount === 1
    },
  }
}

/** Only merges need it, and it can be large. */
async function dropStaged(tenant: Tenant, syncId: number): Promise<void> {
  const { db, organizationId } = unwrap(tenant)
  const ofSync = { organizationId, syncId }
  await db('cloud_resource_pages').where(ofSync).delete()
  const places = db('cloud_sync_places').where(ofSync).whereNotNull('readable')
  await places.update({ readable: null })
}

/** The newest sync of each of these accounts that has one. */
export async function newestSyncs(
  tenant: Tenant,
  cloudAccountIds: readonly number[],
): Promise<CloudSync[]> {
  const { db, organizationId } = unwrap(tenant)
  const { rows } = await db.raw(selectNewest, [[...cloudAccountIds], organizationId])
  return rows
}

/** One look into the index an account, whatever number of syncs it has. */
const selectNewest = `
  select s.id, s.cloud_account_id as "cloudAccountId", s.trigger, s.state, s.reason, s.coverage, s.seen, s.added,
    s.changed, s.gone, s.started_at as "startedAt", s.ended_at as "endedAt"
  from unnest(?::integer[]) as a (id)
    cross join lateral (select * from cloud_syncs where organization_id = ? and cloud_account_id = a.id
      order by id desc limit 1) s`

/** The lock makes two transactions count one after the other. */
async function mayBegin(tenant: Tenant): Promise<boolean> {
  const { db, organizationId } = unwrap(tenant)
  await db.raw('select pg_advisory_xact_lock(?, ?)', [beginLock, organizationId])
  const live = db('cloud_syncs').where({ organizationId, state: 'running' })
  return (await live.limit(maxLiveSyncs).pluck('id')).length < maxLiveSyncs
}

const endSync = `
  update cloud_syncs s set state = :state, reason = :reason, ended_at = now(),
     seen = t.seen, added = w.added, changed = w.changed, gone = t.gone
   from (select coalesce(sum(seen) filter (where state = 'ok'), 0) as seen, coalesce(sum(gone), 0) as gone
       from cloud_sync_places where organization_id = :organizationId and sync_id = :id) t,
     (select coalesce(sum(added), 0) as added, coalesce(sum(changed), 0) as changed
       from cloud_resource_pages where organization_id = :organizationId and sync_id = :id) w
   where s.organization_id = :organizationId and s.id = :id and s.state = 'running'`
