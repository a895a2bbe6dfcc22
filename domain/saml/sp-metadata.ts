import { escapeXml } from './escape-xml.ts'
import type { SpAddresses } from './sp-addresses.ts'
import { namespaces } from './xml-elements.ts'

const binding = (name: string) => `urn:oasis:names:tc:SAML:2.0:bindings:${name}`

/** The base64 of a certificate, as metadata and KeyInfo carry it. */
export const bareCertificate = (pem: string): string =>
  pem.replace(/-----[^-]+-----/g, '').replace(/\s/g, '')

/**
 * The service provider's metadata, in the order of the SAML metadata schema. Without a certificate
 * it has no single logout: the messages could not be signed.
 */
export function spMetadata(addresses: SpAddresses, certificate?: string): string {
  const { entityId, acsUrl, sloUrl } = addresses
  const slo = escapeXml(sloUrl)
  const logout =
    certificate === undefined
      ? ''
      : `
    <md:KeyDescriptor use="signing">
      <ds:KeyInfo xmlns:ds="${namespaces.signature}">
        <ds:X509Data>
          <ds:X509Certificate>${bareCertificate(certificate)}</ds:X509Certificate>
        </ds:X509Data>
      </ds:KeyInfo>
    </md:KeyDescriptor>
    <md:SingleLogoutService Binding="${binding('HTTP-Redirect')}" Location="${slo}"/>
    <md:SingleLogoutService Binding="${binding('HTTP-POST')}" Location="${slo}"/>`
  const signed = certificate === undefined ? 'false' : 'true'
  return `<?xml version="1.0" encoding="UTF-8"?>
<md:EntityDescriptor xmlns:md="${namespaces.metadata}" entityID="${escapeXml(entityId)}">
  <md:SPSSODescriptor AuthnRequestsSigned="${signed}" WantAssertionsSigned="true" protocolSupportEnumeration="${namespaces.protocol}">${logout}
    <md:NameIDFormat>urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress</md:NameIDFormat>
    <md:NameIDFormat>urn:oasis:names:tc:SAML:2.0:nameid-format:persistent</md:NameIDFormat>
    <md:NameIDFormat>urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified</md:NameIDFormat>
    <md:AssertionConsumerService Binding="${binding('HTTP-POST')}" Location="${escapeXml(acsUrl)}" index="0" isDefault="true"/>
  </md:SPSSODescriptor>
</md:EntityDescriptor>
`
}
