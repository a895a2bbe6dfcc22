import { maxId } from '../../domain/max-id.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'

/** What an older apply set may still be in the state only where the configuration ignores changes of it. */
const appliesSearched = 10

/** Each read opens them. A run may have 256 KiB, and what JSON escapes takes six times its size. */
const maxBytesRead = 1_024 * 1_024
/** As those are that a deployment gives to a run: the address of a release is a secret in every workspace. */
const smallBytes = 16 * 1_024

/**
 * Sealed, the newest first: the overrides of the run, and of the applies before it, whose values the state that it
 * began from may have. Without a run those of the newest applies. `isCopied`: those of a rerun, which are older than it.
 * Where all are too large together, those are null that are not small.
 */
export async function overridesUntil(
  tenant: Tenant,
  { workspaceId, runId }: { workspaceId: number; runId: number | null },
): Promise<Array<{ sealed: Buffer | null; startedAt: Date; isCopied: boolean }>> {
  const { db, organizationId } = unwrap(tenant)
  // Not by `coalesce`, with which row-level security keeps the condition off the index.
  const before = runId === null ? maxId : runId - 1
  const { rows } = await db.raw(
    // Two reads, each of an index of its own: plans may be any number, and have nothing of these.
    `select case when bytes <= :maxBytesRead::integer or octet_length(overrides) <= :smallBytes::integer
           then overrides end as sealed, created_at as "startedAt", overrides_by <> '{}' as "isCopied"
     from (select newest.*, sum(octet_length(overrides)) over () as bytes from (
       (select id, overrides, overrides_by, created_at from workspace_runs
         where organization_id = :organizationId and workspace_id = :workspaceId and id = :runId::integer)
       union all
       (select id, overrides, overrides_by, created_at from workspace_runs
         where organization_id = :organizationId and workspace_id = :workspaceId
           and kind = 'apply' and id <= :before::integer
         order by id desc limit :appliesSearched)) newest
     where overrides is not null) measured order by id desc`,
    { organizationId, workspaceId, runId, before, appliesSearched, maxBytesRead, smallBytes },
  )
  return rows
}
