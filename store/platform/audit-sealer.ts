import { chainHash, type SealedEntry } from '../../domain/audit/chain-hash.ts'
import {
  chainStart,
  type ChainHead,
  type OpenHead,
  type SealHead,
} from '../../domain/audit/chain-head.ts'
import type { PlatformDb } from '../driver/connect.ts'

const batch = 500

export type Sealing = {
  /** How many entries were sealed. If any were, there may be more. */
  sealed: number
  /** Chains that cannot be extended: their head was tampered with, or its key is not in the keyring. */
  stuck: Array<{ organizationId: number; error: unknown }>
}

/**
 * Chains committed audit entries, per organization, in an order of its own. Chained inside their
 * transactions, all writes of an organization would wait for each other. One organization's stuck
 * chain does not stop the others'.
 */
export async function sealAudit(
  db: PlatformDb,
  heads: { seal: SealHead; open: OpenHead },
): Promise<Sealing> {
  const { rows: waiting } = await db.raw(
    'select distinct organization_id as "organizationId" from audit_unsealed',
  )
  const sealing: Sealing = { sealed: 0, stuck: [] }
  for (const { organizationId } of waiting)
    try {
      sealing.sealed += await sealOne(db, organizationId, heads)
    } catch (error) {
      sealing.stuck.push({ organizationId, error })
    }
  return sealing
}

async function sealOne(
  db: PlatformDb,
  organizationId: number,
  heads: { seal: SealHead; open: OpenHead },
): Promise<number> {
  return db.transaction(async (trx) => {
    // One sealer per chain; another process continues when this transaction ends.
    const { rows: lock } = await trx.raw('select pg_try_advisory_xact_lock(726199414, ?) as mine', [
      organizationId,
    ])
    if (!lock[0].mine) return 0
    const entries = await takeWaiting(trx, organizationId)
    if (entries.length === 0) return 0

    const kept = await trx('audit_heads').where({ organizationId }).first('sealed')
    // Continues from the head that the key authenticates, not from the table of seals: an attacker who
    // cut off the end of the table would otherwise have the next entry hide the gap.
    let head: ChainHead = kept ? heads.open(organizationId, kept.sealed) : chainStart
    const seals = entries.map((entry) => {
      head = {
        position: head.position + 1,
        hash: chainHash(head.hash, entry),
        entryId: entry.id,
      }
      return { organizationId, ...head }
    })
    await trx('audit_seals').insert(seals)
    const sealed = heads.seal(organizationId, head)
    await trx('audit_heads')
      .insert({ organizationId, sealed })
      .onConflict('organization_id')
      .merge(['sealed'])
    return entries.length
  })
}

async function takeWaiting(trx: PlatformDb, organizationId: number): Promise<SealedEntry[]> {
  const { rows } = await trx.raw(
    `with taken as (
       delete from audit_unsealed u
       where u.organization_id = :organizationId and u.entry_id in (
         select entry_id from audit_unsealed where organization_id = :organizationId order by entry_id limit :batch)
       returning u.entry_id, u.at)
     select e.id, e.at, e.event, e.outcome, e.actor_kind as "actorKind", e.actor_id as "actorId",
       e.actor_label as "actorLabel", e.target_kind as "targetKind", e.target_id as "targetId",
       e.target_label as "targetLabel", e.detail, e.ip, e.request_id as "requestId"
     from taken join audit_entries e
       on e.organization_id = :organizationId and e.id = taken.entry_id and e.at = taken.at
     where not exists (select from audit_seals s
       where s.organization_id = :organizationId and s.entry_id = taken.entry_id)
     order by e.id`,
    { organizationId, batch },
  )
  // The rows are what the query above names.
  return rows as SealedEntry[]
}
