import { unwrap, type Tenant } from '../driver/tenant.ts'
import { chainHash, type SealedEntry } from '../../domain/audit/chain-hash.ts'
import type { ChainHead } from '../../domain/audit/chain-head.ts'

export type ChainStep = {
  head: ChainHead
  /** The first entry that was changed, is missing, or has a wrong seal. */
  brokenAt?: number
  /** True when there was nothing left to read. */
  ended: boolean
}

type Link = { position: number; seal: Buffer; entryId: number; present: boolean } & SealedEntry

/** The hash chain over an organization's audit entries, recomputed piece by piece. */
export function auditChain(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  return {
    /** The chain's end as the keyring has sealed it; undefined where nothing is sealed yet. */
    async sealedHead(): Promise<Buffer | undefined> {
      const row = await db('audit_heads').where({ organizationId }).first('sealed')
      return row?.sealed
    },

    /** Follows the chain from `head` over at most `limit` entries. */
    async follow(head: ChainHead, limit: number): Promise<ChainStep> {
      const { rows } = await db.raw(
        `select s.position, s.hash as seal, s.entry_id as "entryId", e.id is not null as present, e.id, e.at,
           e.event, e.outcome, e.actor_kind as "actorKind", e.actor_id as "actorId", e.actor_label as "actorLabel",
           e.target_kind as "targetKind", e.target_id as "targetId", e.target_label as "targetLabel", e.detail,
           e.ip, e.request_id as "requestId"
         from audit_seals s
           left join audit_entries e on e.organization_id = s.organization_id and e.id = s.entry_id
         where s.organization_id = ? and s.position > ?
         order by s.position limit ?`,
        [organizationId, head.position, limit],
      )
      let proved = head
      // The rows are what the query above names.
      for (const link of rows as Link[]) {
        if (!holds(proved, link)) return { head: proved, brokenAt: link.entryId, ended: true }
        proved = { position: link.position, hash: link.seal, entryId: link.entryId }
      }
      return { head: proved, ended: rows.length < limit }
    },
  }
}

/** Checks that no seal is missing, that its entry exists, and that entry and previous hash give the seal's hash. */
function holds(head: ChainHead, link: Link): boolean {
  if (link.position !== head.position + 1 || !link.present) return false
  return chainHash(head.hash, link).equals(link.seal)
}
