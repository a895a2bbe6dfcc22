import type { Assertion, Confirmation } from './read-assertion.ts'
import { SamlRefusal } from './saml-refusal.ts'

export type Expected = {
  requestId: string
  idpEntityId: string
  /** Our entity ID: one for each organization, so the wall between those that share an identity provider. */
  audience: string
  acsUrl: string
  now: Date
}

const minuteMs = 60_000
/** How far the clocks of the two sides may be apart. */
export const skewMs = minuteMs
export const maxAgeMs = 10 * minuteMs

/** Whether the assertion is of this provider, for us, for now, and an answer to what we asked (SAML profiles 4.1.4.3). */
export function judgeAssertion(assertion: Assertion, expected: Expected): void {
  const { conditions, confirmations } = assertion
  const now = expected.now.getTime()
  if (assertion.issuer !== expected.idpEntityId) throw new SamlRefusal('issuer')
  judgeAge(assertion.issuedAt, now)

  if (!conditions.notOnOrAfter) throw new SamlRefusal('not_on_or_after_missing')
  if (isOver(conditions.notOnOrAfter, now)) throw new SamlRefusal('expired')
  if (isAhead(conditions.notBefore, now)) throw new SamlRefusal('not_yet_valid')
  // Each restriction must name us: one that does not excludes us, whatever the others say.
  const { audiences } = conditions
  if (audiences.length === 0) throw new SamlRefusal('audience_missing')
  if (!audiences.every((audience) => audience.includes(expected.audience)))
    throw new SamlRefusal('audience')

  const faults = confirmations.map((confirmation) => faultOf(confirmation, expected))
  if (!faults.includes(undefined)) throw new SamlRefusal(faults[0] ?? 'confirmation_missing')
  if (isOver(assertion.sessionNotOnOrAfter, now)) throw new SamlRefusal('session_over')
}

/** Also of the Response around it, whose time nobody signed: it can only make a message worse. */
export function judgeAge(issuedAt: Date, now: number): void {
  if (issuedAt.getTime() > now + skewMs) throw new SamlRefusal('issued_in_future')
  if (issuedAt.getTime() < now - maxAgeMs - skewMs) throw new SamlRefusal('stale')
}

function faultOf(said: Confirmation, { acsUrl, requestId, now }: Expected): string | undefined {
  if (said.recipient !== acsUrl) return 'recipient'
  // The signed copy: the attribute of the Response may be anybody's.
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
