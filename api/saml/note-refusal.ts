import { notingDenial, type Denial, type Denied } from '../../app/audit/note-denial.ts'
import { addressSubject } from '../../domain/access/address-subject.ts'
import type { AssertionFacts } from '../../domain/saml/assertion-facts.ts'
import { SamlRefusal } from '../../domain/saml/saml-refusal.ts'
import type { AuditActor } from '../../store/audit/audit-log.ts'
import type { SamlRequestKind } from '../../store/saml/saml-requests.ts'
import { samlTraces } from '../../store/saml/saml-traces.ts'
import type { Deps } from '../deps.ts'
import { actorOfVisitor, type Visitor } from '../sign-in/visitor.ts'

// A refused SAML message is audited as a denial, with a line in the trace that administrators read.
// An attacker can cause refusals, so a repeated one is one entry a minute, with a count.

/** Who sent a message, and the public address it was sent to. */
export type SamlVisit = { origin: string; ip: string; requestId: string }

export type Attempt = { organizationId: number; kind: SamlRequestKind; requestId: string }

export type TraceDetail = Partial<AssertionFacts> & Record<string, unknown>

export type Refused = { step: string; cause: string; detail?: TraceDetail }

export const deniedVisitor = (organizationId: number, visitor: Visitor): Denied => ({
  organizationId,
  actor: actorOfVisitor(visitor),
  party: `saml:${addressSubject(visitor.ip)}`,
})

/** The cause of a refused sign-in, for the organization. The sender never learns it. */
export function signInDenial(
  { attempt, visitor }: { attempt: Attempt; visitor: Visitor },
  { step, cause, detail = {} }: Refused,
): Denial {
  const { kind } = attempt
  return {
    event: 'saml.login_failed',
    attempt: `POST /api/auth/saml/acs ${cause}`,
    detail: { step, reason: cause, test: kind === 'test' },
    alongside: async (tenant) =>
      samlTraces(tenant).add({
        kind,
        outcome: 'failure',
        step,
        cause,
        detail: { samlRequestId: attempt.requestId, ...detail },
        requestId: visitor.requestId,
      }),
  }
}

export const actorOfProvider = (issuer: string, { ip, requestId }: SamlVisit): AuditActor => ({
  kind: 'system',
  id: null,
  label: issuer.slice(0, 200),
  ip,
  requestId,
})

/** The most organizations that one message is audited in. */
const maxTold = 10

/** Runs `work`, a step of a logout, and audits its refusal in the organizations concerned. */
// oxlint-disable-next-line max-params -- what every step has, and the step
export async function notingLogoutDenial<T>(
  deps: Deps,
  parties: ReadonlyArray<{ organizationId: number }>,
  visit: SamlVisit,
  work: () => T | Promise<T>,
): Promise<T> {
  const actor = actorOfProvider('identity provider', visit)
  const denied = parties
    .slice(0, maxTold)
    .map(({ organizationId }) => ({ organizationId, actor, party: 'saml' }))
  const denialOf = (error: unknown) =>
    error instanceof SamlRefusal ? logoutDenial(error.reason, visit) : undefined
  return notingDenial({ store: deps.store, denied }, denialOf, work)
}

const logoutDenial = (reason: string, { requestId }: SamlVisit): Denial => ({
  event: 'saml.logout_refused',
  attempt: `/api/auth/saml/slo ${reason}`,
  detail: { reason },
  alongside: async (tenant) =>
    samlTraces(tenant).add({
      kind: 'logout',
      outcome: 'failure',
      step: 'verify',
      cause: reason,
      detail: {},
      requestId,
    }),
})
