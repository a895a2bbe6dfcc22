import { startPending } from '../outbox/start-pending.ts'
import type { IngestTrigger } from '../../domain/finops/ingest-state.ts'
import type { PlatformDb } from '../driver/connect.ts'
import { goneAfter } from '../finops/billing-uploads.ts'
import { readAgainAfter } from '../finops/taken-uploads.ts'

/**
 * Organizations with an upload that waits, or an account whose bills are due and can be read, and without
 * a live ingest. An account that was never looked at was connected just now. An upload with an ingest could not be read
 * by it (app/finops/end-bill.ts).
 */
export async function dueIngests(
  db: PlatformDb,
  limit: number,
): Promise<Array<{ organizationId: number; trigger: IngestTrigger }>> {
  const { rows } = await db.raw(
    `with due as (
       select u.organization_id, 'upload' as trigger, 1 as turn, u.created_at as since
       from billing_uploads u where u.state = 'waiting'
         and (u.ingest_id is null or u.touched_at < now() - ?::interval)
       union all
       select a.organization_id, case when exists (select from billing_sources s
           join billing_ingest_sources i on i.organization_id = s.organization_id and i.source_id = s.id
           where s.organization_id = a.organization_id and s.cloud_account_id = a.id)
         then 'schedule' else 'connect' end, 0, a.next_ingest_at
       from cloud_accounts a
       where a.disconnected_at is null and a.billing is not null and a.next_ingest_at <= now()
         and (a.status = 'healthy' or a.status = 'degraded'
           and a.checks @> '[{"part": "billing", "state": "ok"}]'))
     select d.organization_id as "organizationId",
       (array_agg(d.trigger order by d.turn, d.since))[1] as trigger
     from due d join organizations o on o.id = d.organization_id and o.status = 'active'
     where not exists (select from billing_ingests g where g.organization_id = d.organization_id and g.state = 'running')
     group by d.organization_id order by min(d.since) limit ?`,
    [readAgainAfter, limit],
  )
  return rows
}

/**
 * Ingests that run for so long that their workflow may be lost. One whose start waits in the outbox has no workflow
 * yet: while Temporal is away it waits for longer than this.
 */
export async function longIngests(
  db: PlatformDb,
  limit: number,
): Promise<Array<{ organizationId: number; ingestId: number }>> {
  const { rows } = await db.raw(
    `select g.organization_id as "organizationId", g.id as "ingestId" from billing_ingests g
     where g.state = 'running' and g.started_at < now() - interval '10 minutes'
       and not ${startPending(`'org-' || g.organization_id || '/billing/' || g.id`)}
     order by g.started_at limit ?`,
    [limit],
  )
  return rows
}

/** Uploads whose receiver is gone: it notes each chunk that it stores. */
export async function lostUploads(
  db: PlatformDb,
  limit: number,
): Promise<Array<{ organizationId: number; uploadId: number }>> {
  const { rows } = await db.raw(
    `select organization_id as "organizationId", id as "uploadId" from billing_uploads
     where state = 'receiving' and touched_at < now() - ?::interval order by touched_at limit ?`,
    [goneAfter, limit],
  )
  return rows
}

/**
 * Deletes uploads that no slice is made of any more. A few at a time: each can have 512 MiB. True if there
 * may be more.
 */
export async function forgetUploads(db: PlatformDb, limit: number): Promise<boolean> {
  const { rowCount } = await db.raw(
    `delete from billing_uploads where id = any(array(
       select u.id from billing_uploads u
         join billing_sources s on s.organization_id = u.organization_id and s.id = u.source_id
       where u.state <> 'receiving' and (s.removed_at is not null or u.state = 'done' and not exists (
         select from billing_slices l where l.organization_id = u.organization_id and l.source_id = u.source_id
           and l.manifest = 'upload ' || u.id and (l.is_current or l.state in ('reading', 'suspect'))))
       order by u.id limit ? for update of u skip locked))`,
    [limit],
  )
  return rowCount === limit
}

/** Those of these ingests that run. */
export async function runningIngests(db: PlatformDb, ids: readonly number[]): Promise<number[]> {
  return db('billing_ingests')
    .whereIn('id', [...ids])
    .where({ state: 'running' })
    .pluck('id')
}
