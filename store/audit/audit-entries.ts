import type { Db } from '../connect.ts'

export type AuditEntry = {
  id: number
  at: Date
  event: string
  outcome: 'success' | 'denied' | 'failure'
  actorKind: 'user' | 'token' | 'scim' | 'agent' | 'system'
  actorId: number | null
  actorLabel: string
  targetKind: string | null
  targetId: string | null
  targetLabel: string | null
  detail: Record<string, unknown>
  ip: string | null
  requestId: string | null
}

/** What was done to one thing, oldest first; at most 500 entries. */
export async function auditEntriesOf(
  db: Db,
  organizationId: number,
  target: { kind: string; id: string },
): Promise<AuditEntry[]> {
  return db('audit_entries')
    .where({ organizationId, targetKind: target.kind, targetId: target.id })
    .orderBy('id')
    .limit(500)
    .select('id', 'at', 'event', 'outcome', 'actorLabel', 'detail')
}
