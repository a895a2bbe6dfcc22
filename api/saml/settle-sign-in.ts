import { recordDenial } from '../../app/audit/note-denial.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { newSecret } from '../../domain/access/credentials.ts'
import { assertionFacts } from '../../domain/saml/assertion-facts.ts'
import { maxAgeMs, skewMs } from '../../domain/saml/judge-assertion.ts'
import { mapPerson, type MappedPerson } from '../../domain/saml/map-person.ts'
import { safeTarget } from '../../domain/saml/safe-target.ts'
import { SamlRefusal } from '../../domain/saml/saml-refusal.ts'
import { openSamlSession, type SamlPrincipal } from '../../store/saml/open-saml-session.ts'
import { samlRequests, type AnsweredConfiguration } from '../../store/saml/saml-requests.ts'
import { samlTraces } from '../../store/saml/saml-traces.ts'
import { AboveEditor, admitPerson, planAdmission } from './admit-person.ts'
import { deniedVisitor, signInDenial, type TraceDetail } from './note-refusal.ts'
import type { Visitor } from '../sign-in/visitor.ts'
import type { ReadResponse } from '../../domain/saml/read-response.ts'
import type { AskedRequest } from '../../store/platform/saml.ts'

export type AcsVisit = {
  visitor: Visitor
  origin: string
  /** The login-CSRF cookie of a request, by the request's id. */
  browserCookie: (requestId: string) => string | undefined
  /** Whether a browser sent it: current browsers declare where a form came from. */
  fromBrowser: boolean
}

/** Where the browser goes next. A refused message is thrown as a SamlRefusal instead. */
export type AcsOutcome =
  | { kind: 'signed_in'; cookie: string; target: string; requestId: string }
  | { kind: 'tested'; requestId: string }
  | { kind: 'failed' }
  | { kind: 'suspended' }

export type Answered = {
  request: AskedRequest
  read: ReadResponse
  relayState: string | undefined
}

/** Longer than the same assertion can be valid, whatever the clocks say. */
const seenMs = maxAgeMs + 3 * skewMs

type Verified = Answered & { csrf: string | undefined }
type Configured = Verified & { configuration: AnsweredConfiguration }

/**
 * Completes a verified response, in the transaction that consumes the request and the assertion. A
 * refusal leaves both consumed, so that the response cannot be tried again.
 */
export async function settleSignIn(
  tenant: Tenant,
  verified: Verified,
  visit: AcsVisit,
): Promise<AcsOutcome | { kind: 'replayed' } | { kind: 'refused'; cause: string }> {
  const { request, read } = verified
  const { organizationId, id, kind } = request
  const until = new Date(Date.now() + seenMs)
  const answer = { requestId: id, kind, messageId: read.assertion.id, until }
  const taken = await samlRequests(tenant).takeAnswer(answer)
  if (!taken) return { kind: 'replayed' }
  const attempt = { organizationId, kind, requestId: id }
  const { visitor } = visit
  const detail = traceDetail(verified)
  const fail = async (step: string, cause: string, more: TraceDetail = {}) =>
    recordDenial(
      tenant,
      deniedVisitor(organizationId, visitor),
      signInDenial({ attempt, visitor }, { step, cause, detail: { ...detail, ...more } }),
    )

  if (verified.csrf !== undefined) {
    await fail('browser', verified.csrf)
    return { kind: 'failed' }
  }
  // Only reached with a valid assertion, so strangers do not learn that the organization is suspended.
  if (taken.suspended) {
    await fail('organization', 'organization_suspended')
    return { kind: 'suspended' }
  }
  try {
    // Read in this transaction: it may have been disabled or changed during the verification.
    const { configuration } = taken
    if (!configuration || (kind !== 'test' && !configuration.enabled))
      throw new SamlRefusal('not_enabled')
    const configured = { ...verified, configuration }
    if (!isOfProvider(configured)) throw new SamlRefusal('configuration_changed')
    return await (kind === 'test' ? tried : admit)(tenant, configured, visit)
  } catch (error) {
    if (!(error instanceof SamlRefusal)) throw error
    const above = error instanceof AboveEditor
    await fail('person', error.reason, above ? error.about : {})
    // Thrown after the commit, so that request and assertion stay consumed.
    if (above && kind !== 'test') return { kind: 'refused', cause: error.reason }
    return kind === 'test' ? { kind: 'tested', requestId: id } : { kind: 'failed' }
  }
}

/**
 * Whether the provider that was verified is still the configured one. Otherwise the holder of a removed
 * certificate's key could sign in with the power of the person who replaced it.
 */
const isOfProvider = ({ request, read, configuration }: Configured): boolean =>
  configuration.idpEntityId === request.idpEntityId &&
  configuration.certificates.includes(read.certificate)

async function admit(tenant: Tenant, verified: Configured, visit: AcsVisit): Promise<AcsOutcome> {
  const { request, configuration, read, relayState } = verified
  const { id } = request
  const { visitor, origin } = visit
  const person = mapPerson(read.assertion, configuration)
  const userId = await admitPerson(tenant, { configuration, person, visitor })
  // Always a new secret, so that a cookie planted by an attacker is never adopted (session fixation).
  const secret = newSecret()
  const opened = await openSamlSession(tenant, {
    ...visitor,
    userId,
    tokenHash: secret.hash,
    principal: principalOf(verified),
    detail: { samlRequestId: id, ...traceDetail(verified), mapped: mapped(person) },
  })
  if (!opened) throw new SamlRefusal('user_deactivated')
  // Our own token leads to the stored target. From others only a path of this site is followed.
  const target =
    relayState === request.relayState
      ? request.target
      : (safeTarget(relayState, origin) ?? request.target)
  return { kind: 'signed_in', cookie: secret.plain, target: target ?? '/', requestId: id }
}

/** A test sign-in does everything without changing anything; the trace shows the result. */
async function tried(
  tenant: Tenant,
  verified: Configured,
  { visitor }: AcsVisit,
): Promise<AcsOutcome> {
  const { request, configuration, read } = verified
  const person = mapPerson(read.assertion, configuration)
  const plan = await planAdmission(tenant, { configuration, person })
  await samlTraces(tenant).add({
    kind: 'test',
    outcome: 'success',
    step: 'would_sign_in',
    cause: null,
    detail: {
      samlRequestId: request.id,
      ...traceDetail(verified),
      mapped: { ...mapped(person), user: plan.found ? 'known' : 'new', role: plan.standing.wanted },
    },
    requestId: visitor.requestId,
  })
  return { kind: 'tested', requestId: request.id }
}

function principalOf({ configuration, read: { assertion } }: Configured): SamlPrincipal {
  const { nameId, sessionIndex, sessionNotOnOrAfter } = assertion
  return {
    nameId: nameId.value,
    nameIdFormat: nameId.format,
    nameQualifier: nameId.nameQualifier,
    spNameQualifier: nameId.spNameQualifier,
    sessionIndex,
    // A provider grants no role above that of the person who configured it (docs/identity.md).
    roleCeiling: configuration.power.role,
    idpSavedBy: configuration.savedBy,
    notAfter: sessionNotOnOrAfter ?? null,
  }
}

function traceDetail({ read }: Verified): TraceDetail {
  return { ...assertionFacts(read.assertion), signed: read.signed }
}

const maxGroupsShown = 100

/** Mapped attributes alone: the trace must not collect other personal data. */
const mapped = ({ identifier, name, groups }: MappedPerson) => ({
  email: identifier,
  name,
  groups: groups?.slice(0, maxGroupsShown) ?? null,
  groupCount: groups?.length ?? null,
})
