import { escapeXml } from './escape-xml.ts'
import { writeLogoutStatus, type LogoutOutcome } from './logout-status.ts'
import { namespaces } from './xml-elements.ts'

export type NameId = {
  value: string
  format?: string | null
  nameQualifier?: string | null
  spNameQualifier?: string | null
}

export type Envelope = { id: string; issuer: string; destination: string; now: Date }

/** Builds the request to end this principal's session at the identity provider. */
export function logoutRequest(
  envelope: Envelope,
  { nameId, sessionIndex }: { nameId: NameId; sessionIndex?: string | null | undefined },
): string {
  const attributes = [
    named('Format', nameId.format),
    named('NameQualifier', nameId.nameQualifier),
    named('SPNameQualifier', nameId.spNameQualifier),
  ].join('')
  const session = sessionIndex
    ? `<samlp:SessionIndex>${escapeXml(sessionIndex)}</samlp:SessionIndex>`
    : ''
  return message('LogoutRequest', envelope, {
    attributes: '',
    content: `<saml:NameID${attributes}>${escapeXml(nameId.value)}</saml:NameID>${session}`,
  })
}

export function logoutResponse(
  envelope: Envelope,
  { inResponseTo, outcome }: { inResponseTo: string; outcome: LogoutOutcome },
): string {
  return message('LogoutResponse', envelope, {
    attributes: named('InResponseTo', inResponseTo),
    content: writeLogoutStatus(outcome),
  })
}

const named = (name: string, value: string | null | undefined): string =>
  value ? ` ${name}="${escapeXml(value)}"` : ''

function message(
  name: string,
  { id, issuer, destination, now }: Envelope,
  { attributes, content }: { attributes: string; content: string },
): string {
  return (
    `<samlp:${name} xmlns:samlp="${namespaces.protocol}" xmlns:saml="${namespaces.assertion}"` +
    ` ID="${escapeXml(id)}" Version="2.0" IssueInstant="${now.toISOString()}"` +
    ` Destination="${escapeXml(destination)}"${attributes}>` +
    `<saml:Issuer>${escapeXml(issuer)}</saml:Issuer>${content}</samlp:${name}>`
  )
}
