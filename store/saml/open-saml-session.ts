import { unwrap, type Tenant } from '../driver/tenant.ts'
import type { Role } from '../../domain/access/roles.ts'
import { askPrepared } from '../driver/ask-prepared.ts'
import { insertAuditEntry } from '../insert-audit-entry.ts'
import { sessionDays } from '../../domain/access/session-days.ts'
import { dropOldTraces } from './saml-traces.ts'

/** The name at the identity provider, as a logout will use it, and the limits of the session. */
export type SamlPrincipal = {
  nameId: string
  nameIdFormat: string | null
  nameQualifier: string | null
  spNameQualifier: string | null
  sessionIndex: string | null
  roleCeiling: Role
  /** Who configured the provider: they could sign in as anybody it may name. */
  idpSavedBy: readonly number[]
  /** SessionNotOnOrAfter of the assertion: the session ends then at the latest. */
  notAfter: Date | null
}

export type NewSamlSession = {
  userId: number
  tokenHash: Buffer
  ip: string
  userAgent: string
  requestId: string
  principal: SamlPrincipal
  /** Shown in the administrator's trace. */
  detail: Record<string, unknown>
}

/** By the parameters of the statement below. */
const entry = {
  organizationId: '$1',
  event: `'auth.login'`,
  outcome: `'success'`,
  actorKind: `'user'`,
  actorId: 'id',
  actorLabel: 'label',
  targetKind: `'user'`,
  targetId: 'id::text',
  targetLabel: 'label',
  detail: '$13',
  ip: '$4',
  requestId: '$14',
}

/**
 * Opens the session of a sign-in with its audit entry and its trace, in one statement. Locks the
 * person as holdPerson does. Returns false, and writes nothing, if the person was deactivated
 * meanwhile.
 */
export async function openSamlSession(
  tenant: Tenant,
  { userId, tokenHash, ip, userAgent, requestId, principal, detail }: NewSamlSession,
): Promise<boolean> {
  const { db, organizationId } = unwrap(tenant)

  const { roleCeiling, idpSavedBy } = principal
  const rows = await askPrepared(db, {
    name: 'open-saml-session',
    text: `
      with held as (
        select id, coalesce(email, name) as label from users
        where organization_id = $1 and id = $2 and active and deprovisioned_at is null
        for no key update),
      session as (
        insert into sessions (organization_id, user_id, token_hash, ip, user_agent, expires_at, kind,
          role_ceiling, saml_name_id, saml_name_id_format, saml_name_qualifier,
          saml_sp_name_qualifier, saml_session_index, idp_saved_by)
        select $1, id, $3, $4, $5, least(now() + interval '${sessionDays} days', $6::timestamptz), 'saml',
          $7, $8, $9, $10, $11, $12, $16 from held),
      first as (
        update users u set first_signed_in_at = now() from held
        where u.organization_id = $1 and u.id = held.id and u.first_signed_in_at is null),
      entry as (
        ${insertAuditEntry(entry, 'from held')}),
      traced as (
        insert into saml_traces (organization_id, kind, outcome, step, detail, request_id)
        select $1, 'login', 'success', 'signed_in', $15, $14 from held),
      dropped as (${dropOldTraces('$1')} and exists (select from held))
      select id from held`,
    values: [
      organizationId,
      userId,
      tokenHash,
      ip,
      userAgent.slice(0, 400),
      principal.notAfter,
      roleCeiling,
      principal.nameId,
      principal.nameIdFormat,
      principal.nameQualifier,
      principal.spNameQualifier,
      principal.sessionIndex,
      JSON.stringify({ method: 'saml', roleCeiling }),
      requestId,
      JSON.stringify(detail),
      idpSavedBy,
    ],
  })
  return rows.length === 1
}
