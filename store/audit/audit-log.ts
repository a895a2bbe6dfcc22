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

export type TargetEntry = { target: AuditTarget; detail: Record<string, unknown> }

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

/** An entry has at most 8 KiB of detail, so a statement has at most 4 MiB. */
const entriesAtOnce = 500

const insertEntries = insertAuditEntry(
  {
    organizationId: ':organizationId::integer',
    event: ':event::text',
    outcome: `'success'`,
    actorKind: ':actorKind::text',
    actorId: ':actorId::integer',
    actorLabel: ':actorLabel::text',
    targetKind: 'e.target_kind',
    targetId: 'e.target_id',
    targetLabel: 'e.target_label',
    detail: 'e.detail::jsonb',
    ip: ':ip::text',
    requestId: ':requestId::text',
  },
  `from unnest(:kinds::text[], :ids::text[], :labels::text[], :details::text[]) with ordinality
     as e (target_kind, target_id, target_label, detail, place)
   order by e.place`,
)

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
        ...columnsOfActor(actor),
        targetKind: target?.kind ?? null,
        targetId: target === undefined ? null : String(target.id),
        targetLabel: target?.label ?? null,
        detail: auditedDetail(detail),
      })
      const [row] = await askNamed<{ id: number }>(db, 'add-audit-entry', entry)
      if (!row) throw new Error('an audit entry was not written')
      return row.id
    },

    /** The entries of one change of many targets, in their order; a statement has 500. */
    async recordEach(event: string, entries: readonly TargetEntry[]): Promise<void> {
      for (let from = 0; from < entries.length; from += entriesAtOnce)
        await db.raw(insertEntries, {
          organizationId,
          event,
          ...columnsOfActor(actor),
          ...columnsOfTargets(entries.slice(from, from + entriesAtOnce)),
        })
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

const columnsOfActor = ({ kind, id, label, ip, requestId }: AuditActor) => ({
  actorKind: kind,
  actorId: id,
  actorLabel: label,
  ip: ip ?? null,
  requestId: requestId ?? null,
})

const columnsOfTargets = (entries: readonly TargetEntry[]) => ({
  kinds: entries.map(({ target }) => target.kind),
  ids: entries.map(({ target }) => String(target.id)),
  labels: entries.map(({ target }) => target.label ?? null),
  details: entries.map(({ detail }) => auditedDetail(detail)),
})
