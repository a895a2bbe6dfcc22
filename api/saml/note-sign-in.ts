import type { Tenant } from '../../store/driver/tenant.ts'
import type { AssertionFacts } from '../../domain/saml/assertion-facts.ts'
import { auditLog } from '../../store/audit/audit-log.ts'
import type { SamlRequestKind } from '../../store/saml/saml-requests.ts'
import { samlTraces } from '../../store/saml/saml-traces.ts'
import { actorOfVisitor, type Visitor } from '../sign-in/visitor.ts'

export type Attempt = { organizationId: number; kind: SamlRequestKind; requestId: string }

export type TraceDetail = Partial<AssertionFacts> & Record<string, unknown>

export type Refused = { step: string; cause: string; detail?: TraceDetail }

/** Records the cause of a refused sign-in for the organization. The sender never learns it. */
export async function noteRefusedSignIn(
  tenant: Tenant,
  { attempt, visitor }: { attempt: Attempt; visitor: Visitor },
  { step, cause, detail = {} }: Refused,
): Promise<void> {
  const { kind } = attempt
  // A request that is repeated a thousand times is one entry a minute, with a count.
  await auditLog(tenant, actorOfVisitor(visitor)).recordDenial(
    'saml.login_failed',
    `saml:${visitor.ip}`,
    {
      route: `POST /api/auth/saml/acs ${cause}`,
      detail: { step, reason: cause, test: kind === 'test' },
    },
  )
  await samlTraces(tenant).add({
    kind,
    outcome: 'failure',
    step,
    cause,
    detail: { samlRequestId: attempt.requestId, ...detail },
    requestId: visitor.requestId,
  })
}
