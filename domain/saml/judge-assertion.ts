import type { Assertion, Confirmation } from './read-assertion.ts'

export type Expected = {
  requestId: string
  idpEntityId: string
  /** Our entity ID, one per organization: it separates organizations that share an identity provider. */
  audience: string
  acsUrl: string
  now: Date
}

const minuteMs = 60_000
/** The allowed clock skew. */
export const skewMs = minuteMs
export const maxAgeMs = 10 * minuteMs

/**
 * Why the assertion is not from this provider, for this service, valid now and an answer to our request
 * (SAML profiles 4.1.4.3); undefined if it is all of that.
 */
export function faultOfAssertion(assertion: Assertion, expected: Expected): string | undefined {
  const { conditions, confirmations } = assertion
  const now = expected.now.getTime()
  if (assertion.issuer !== expected.idpEntityId) return 'issuer'
  const age = faultOfAge(assertion.issuedAt, now)
  if (age !== undefined) return age

  if (!conditions.notOnOrAfter) return 'not_on_or_after_missing'
  if (isOver(conditions.notOnOrAfter, now)) return 'expired'
  if (isAhead(conditions.notBefore, now)) return 'not_yet_valid'
  // Each AudienceRestriction must include us; one that does not excludes us.
  const { audiences } = conditions
  if (audiences.length === 0) return 'audience_missing'
  if (!audiences.every((audience) => audience.includes(expected.audience))) return 'audience'

  const faults = confirmations.map((confirmation) => faultOf(confirmation, expected))
  if (!faults.includes(undefined)) return faults[0] ?? 'confirmation_missing'
  return isOver(assertion.sessionNotOnOrAfter, now) ? 'session_over' : undefined
}

/** Also used for the Response around it, whose time is not signed: that can only refuse a message. */
export function faultOfAge(issuedAt: Date, now: number): string | undefined {
  if (issuedAt.getTime() > now + skewMs) return 'issued_in_future'
  return issuedAt.getTime() < now - maxAgeMs - skewMs ? 'stale' : undefined
}

function faultOf(said: Confirmation, { acsUrl, requestId, now }: Expected): string | undefined {
  if (said.recipient !== acsUrl) return 'recipient'
  // The signed copy: an attacker could have changed the attribute of the Response.
  if (said.inResponseTo !== requestId) return 'in_response_to'
  if (!said.notOnOrAfter) return 'confirmation_not_on_or_after_missing'
  if (isOver(said.notOnOrAfter, now.getTime())) return 'confirmation_expired'
  if (isAhead(said.notBefore, now.getTime())) return 'confirmation_not_yet_valid'
  return undefined
}

const isOver = (end: Date | undefined, now: number): boolean =>
  end !== undefined && end.getTime() + skewMs <= now

const isAhead = (start: Date | undefined, now: number): boolean =>
  start !== undefined && start.getTime() - skewMs > now
