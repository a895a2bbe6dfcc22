import { SamlRefusal } from '../../domain/saml/saml-refusal.ts'
import { auditLog, type AuditActor } from '../../store/audit/audit-log.ts'
import { samlTraces } from '../../store/saml/saml-traces.ts'
import type { Deps } from '../deps.ts'

/** Who sent a message, and the public address it was sent to. */
export type SamlVisit = { origin: string; ip: string; requestId: string }

export const actorOfProvider = (issuer: string, { ip, requestId }: SamlVisit): AuditActor => ({
  kind: 'system',
  id: null,
  label: issuer.slice(0, 200),
  ip,
  requestId,
})

/**
 * Runs `work` and audits a refusal in the organizations concerned. An attacker who knows an issuer
 * can cause refusals, so the audit log has one entry per reason and minute, with a count.
 */
// oxlint-disable-next-line max-params -- what every step here has, and the step
export async function noteRefusal<T>(
  deps: Deps,
  parties: ReadonlyArray<{ organizationId: number }>,
  visit: SamlVisit,
  work: () => T | Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof SamlRefusal)) throw error
    for (const { organizationId } of parties.slice(0, maxTold))
      await deps.store.tenant(organizationId, async (tenant) => {
        await auditLog(tenant, actorOfProvider('identity provider', visit)).recordDenial(
          'saml.logout_refused',
          `saml:${error.reason}`,
          {
            route: '/api/auth/saml/slo',
            detail: { reason: error.reason },
          },
        )
        await samlTraces(tenant).add({
          kind: 'logout',
          outcome: 'failure',
          step: 'verify',
          cause: error.reason,
          detail: {},
          requestId: visit.requestId,
        })
      })
    throw error
  }
}

/** The most organizations that one message is audited in. */
const maxTold = 10
