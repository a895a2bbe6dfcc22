import type { PlatformDb } from '../connect.ts'
import { chainHash, type SealedEntry } from '../../domain/audit/chain-hash.ts'

const batch = 500

/**
 * Chains committed audit entries, per organization, in an order of its own (decisions §8):
 * inside the transactions it would make all of an organization's writes wait for each
 * other. An entry is taken once no transaction that began before it can still commit.
 */
export async function sealAudit(db: PlatformDb): Promise<number> {
  return db.transaction(async (trx) => {
    // One sealer at a time; another process's turn comes when this transaction ends.
    const { rows: lock } = await trx.raw('select pg_try_advisory_xact_lock(7261994114) as mine')
    if (!lock[0].mine) return 0
    const { rows: entries } = await trx.raw(
      `select e.id, e.organization_id as "organizationId", e.at, e.event, e.outcome, e.actor_kind as "actorKind",
         e.actor_id as "actorId", e.actor_label as "actorLabel", e.target_kind as "targetKind",
         e.target_id as "targetId", e.target_label as "targetLabel", e.detail, e.ip, e.request_id as "requestId"
       from audit_entries e
       where e.transaction_id < pg_snapshot_xmin(pg_current_snapshot())
         and e.at > now() - interval '31 days'
         and not exists (select 1 from audit_seals s
           where s.organization_id = e.organization_id and s.entry_id = e.id)
       order by e.organization_id, e.id limit ?`,
      [batch],
    )
    const heads = new Map<number, { position: number; hash: Buffer }>()
    // The rows are what the query above names.
    for (const entry of entries as Array<SealedEntry & { organizationId: number }>) {
      const { organizationId } = entry
      const head = heads.get(organizationId) ?? (await headOf(trx, organizationId))
      const next = { position: head.position + 1, hash: chainHash(head.hash, entry) }
      await trx('audit_seals').insert({ organizationId, entryId: entry.id, ...next })
      heads.set(organizationId, next)
    }
    return entries.length
  })
}

async function headOf(
  db: PlatformDb,
  organizationId: number,
): Promise<{ position: number; hash: Buffer }> {
  const row = await db('audit_seals')
    .where({ organizationId })
    .orderBy('position', 'desc')
    .first('position', 'hash')
  return row ?? { position: 0, hash: Buffer.alloc(32) }
}
