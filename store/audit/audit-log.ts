import { askNamed } from '../driver/ask-prepared.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { auditedDetail } from '../../domain/audit/audited-detail.ts'
import { insertAuditEntry } from '../insert-audit-entry.ts'

export type AuditActor = {
  kind: 'user' | 'token' | 'scim' | 'agent' | 'system'
  id: number | null
  label: string
  ip?: string | null
  requestId?: string | null
}

export type AuditTarget = { kind: string; id: number | string; label?: string }

export type AuditWrite = {
  outcome?: 'success' | 'denied' | 'failure'
  target?: AuditTarget
  /** Ids, names and decisions; never a secret, a variable's value or a tool's output. Above 8 KiB it is cut. */
  detail?: Record<string, unknown>
}

export const systemActor: AuditActor = { kind: 'system', id: null, label: 'cloud-control' }

export const actorOf = (caller: Caller): AuditActor => ({
  kind: caller.kind === 'session' ? 'user' : 'token',
  id: caller.kind === 'session' ? caller.userId : caller.credentialId,
  label: caller.email ?? caller.name,
  ip: caller.ip,
  requestId: caller.requestId,
})

const insertEntry = `${insertAuditEntry({
  organizationId: ':organizationId',
  event: ':event',
  outcome: ':outcome',
  actorKind: ':actorKind',
  actorId: ':actorId',
  actorLabel: ':actorLabel',
  targetKind: ':targetKind',
  targetId: ':targetId',
  targetLabel: ':targetLabel',
  detail: ':detail',
  ip: ':ip',
  requestId: ':requestId',
})} returning id`

/** The audit log of one organization. An entry is written in the transaction of its change. */
export function auditLog(tenant: Tenant, actor: AuditActor) {
  const { db, organizationId } = unwrap(tenant)

  return {
    async record(
      event: string,
      { outcome = 'success', target, detail = {} }: AuditWrite = {},
    ): Promise<number> {
      const entry = db.raw(insertEntry, {
        organizationId,
        event,
        outcome,
        actorKind: actor.kind,
        actorId: actor.id,
        actorLabel: actor.label,
        targetKind: target?.kind ?? null,
        targetId: target === undefined ? null : String(target.id),
        targetLabel: target?.label ?? null,
        detail: auditedDetail(detail),
        ip: actor.ip ?? null,
        requestId: actor.requestId ?? null,
      })
      const [row] = await askNamed<{ id: number }>(db, 'add-audit-entry', entry)
      if (!row) throw new Error('an audit entry was not written')
      return row.id
    },

    /** A denial: the first of a (caller, route, minute) is an entry, the others raise its count. */
    async recordDenial(event: string, caller: string, write: AuditWrite & { route: string }) {
      const place = {
        organizationId,
        caller,
        route: write.route,
        minute: db.raw(`date_trunc('minute', now())`),
      }
      const { rows } = await db.raw(
        `insert into audit_denials (organization_id, caller, route, minute)
         values (?, ?, ?, date_trunc('minute', now()))
         on conflict (organization_id, caller, route, minute) do update set count = audit_denials.count + 1
         returning count`,
        [organizationId, caller, write.route],
      )
      if (rows[0].count > 1) return
      const entryId = await this.record(event, { ...write, outcome: 'denied' })
      await db('audit_denials').where(place).update({ entryId })
    },
  }
}
