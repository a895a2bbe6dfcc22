import { escapeXml } from './escape-xml.ts'
import type { SpAddresses } from './sp-addresses.ts'
import { namespaces } from './xml-elements.ts'

/**
 * Asks the identity provider to sign somebody in (SAML core 3.4.1). It names no kind of
 * authentication, for one that asks for a password is refused where a second factor is the
 * rule, and no format of the name, for the administrator maps what the provider sends.
 */
export const authnRequest = (
  { entityId, acsUrl }: Pick<SpAddresses, 'entityId' | 'acsUrl'>,
  { id, destination, now }: { id: string; destination: string; now: Date },
): string =>
  `<samlp:AuthnRequest xmlns:samlp="${namespaces.protocol}" xmlns:saml="${namespaces.assertion}"` +
  ` ID="${escapeXml(id)}" Version="2.0" IssueInstant="${now.toISOString().replace(/\.\d+Z$/, 'Z')}"` +
  ` Destination="${escapeXml(destination)}" AssertionConsumerServiceURL="${escapeXml(acsUrl)}"` +
  ` ProtocolBinding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST">` +
  `<saml:Issuer>${escapeXml(entityId)}</saml:Issuer><samlp:NameIDPolicy AllowCreate="true"/></samlp:AuthnRequest>`
