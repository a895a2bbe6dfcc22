import { SamlRefusal } from './saml-refusal.ts'
import { attribute, childrenNamed, onlyChild } from './xml-elements.ts'

const status = 'urn:oasis:names:tc:SAML:2.0:status:'

export type LogoutOutcome = 'success' | 'partial' | 'failed'

/**
 * Reads the status codes of both levels. An identity provider that could not end every session
 * may send Success with a nested PartialLogout (SAML core 3.2.2.2), which is not a success.
 */
export function readLogoutStatus(response: Element): LogoutOutcome {
  const parent = onlyChild(response, 'protocol', 'Status')
  const top = parent && onlyChild(parent, 'protocol', 'StatusCode')
  if (!top) throw new SamlRefusal('status_missing')
  const codes = [top, ...descendants(top)].map((code) => attribute(code, 'Value') ?? '')
  if (codes.includes(`${status}PartialLogout`)) return 'partial'
  return codes[0] === `${status}Success` ? 'success' : 'failed'
}

const descendants = (code: Element): Element[] =>
  childrenNamed(code, 'protocol', 'StatusCode').flatMap((child) => [child, ...descendants(child)])

export function writeLogoutStatus(outcome: LogoutOutcome): string {
  const top = outcome === 'failed' ? 'Responder' : 'Success'
  const below = outcome === 'partial' ? `<samlp:StatusCode Value="${status}PartialLogout"/>` : ''
  return `<samlp:Status><samlp:StatusCode Value="${status}${top}">${below}</samlp:StatusCode></samlp:Status>`
}
