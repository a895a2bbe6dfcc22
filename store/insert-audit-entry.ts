/** The columns of an audit entry, each as SQL of ours: a parameter, a literal, or a column of `from`. */
export type AuditEntrySql = {
  organizationId: string
  event: string
  outcome: string
  actorKind: string
  actorId: string
  actorLabel: string
  targetKind: string
  targetId: string
  targetLabel: string
  detail: string
  ip: string
  requestId: string
}

/**
 * The only insert of audit entries. `auditLog(tenant, actor).record` sends it as a statement of its own. A
 * change that is sent in one round trip has it as one of its parts (`with audited as (…)`), so that its entry
 * costs no second one. It is in no noun's folder, because a noun's repository imports none of another noun.
 */
export const insertAuditEntry = (entry: AuditEntrySql, from = ''): string =>
  `insert into audit_entries (organization_id, event, outcome, actor_kind, actor_id, actor_label,
     target_kind, target_id, target_label, detail, ip, request_id)
   select ${entry.organizationId}, ${entry.event}, ${entry.outcome}, ${entry.actorKind},
     ${entry.actorId}, ${entry.actorLabel}, ${entry.targetKind}, ${entry.targetId},
     ${entry.targetLabel}, ${entry.detail}, ${entry.ip}, ${entry.requestId} ${from}`
