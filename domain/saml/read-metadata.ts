import {
  CertificateFault,
  checkCertificates,
  type CheckedCertificate,
} from './check-certificate.ts'
import { parseXml } from './parse-xml.ts'
import { SamlRefusal } from './saml-refusal.ts'
import { attribute, childrenNamed, isNamed, namespaces, onlyChild, textOf } from './xml-elements.ts'

export type SamlEndpoint = { url: string; binding: 'redirect' | 'post'; responseUrl: string | null }

export type IdpMetadata = {
  idpEntityId: string
  sso: SamlEndpoint
  slo: SamlEndpoint | undefined
  certificates: CheckedCertificate[]
}

/** 40 ms of reading. Providers' own have some 300, and AD FS's some 1,500. */
const maxElements = 8_000

/** Why a metadata document cannot be used, for the person who uploaded it. */
export class MetadataFault extends Error {}

/** Reads an identity provider's metadata (SAML metadata 2.4.3). Never fetches an address in it (SSRF). */
export function readMetadata(xml: string): IdpMetadata {
  const entity = entityOf(parse(xml))
  const idpEntityId = attribute(entity, 'entityID')?.trim()
  if (!idpEntityId) throw new MetadataFault('names no entityID')
  const roles = childrenNamed(entity, 'metadata', 'IDPSSODescriptor').filter((role) =>
    (attribute(role, 'protocolSupportEnumeration') ?? '')
      .split(/\s+/)
      .includes(namespaces.protocol),
  )
  const [role] = roles
  if (!role)
    throw new MetadataFault(
      childrenNamed(entity, 'metadata', 'SPSSODescriptor').length > 0
        ? 'is of a service provider: give that of the identity provider'
        : 'has no IDPSSODescriptor for SAML 2.0',
    )
  if (roles.length > 1) throw new MetadataFault('has several IDPSSODescriptors for SAML 2.0')
  const sso = endpoint(role, 'SingleSignOnService')
  if (!sso)
    throw new MetadataFault(
      'names no SingleSignOnService with the HTTP-Redirect or HTTP-POST binding',
    )
  const certificates = childrenNamed(role, 'metadata', 'KeyDescriptor')
    .filter((key) => (attribute(key, 'use') ?? 'signing') === 'signing')
    .flatMap((key) => certificatesOf(key))
  if (certificates.length === 0) throw new MetadataFault('has no signing certificate')
  const different = new Map(certificates.map((one) => [one.fingerprint, one]))
  return {
    idpEntityId,
    sso,
    slo: endpoint(role, 'SingleLogoutService'),
    certificates: [...different.values()],
  }
}

function parse(xml: string): Element {
  try {
    return parseXml(xml.trim(), maxElements)
  } catch (error) {
    if (!(error instanceof SamlRefusal)) throw error
    throw new MetadataFault(faultOf(error.reason), { cause: error })
  }
}

function faultOf(reason: string): string {
  if (reason === 'xml_doctype') return 'has a document type or entities, which are refused'
  if (reason === 'xml_too_many_elements')
    return `has more than ${maxElements.toLocaleString('en')} elements: give the metadata of this identity provider alone`
  return 'is no well-formed XML'
}

function entityOf(root: Element): Element {
  if (isNamed(root, 'metadata', 'EntityDescriptor')) return root
  if (!isNamed(root, 'metadata', 'EntitiesDescriptor'))
    throw new MetadataFault(
      'is no SAML metadata: its root is neither EntityDescriptor nor EntitiesDescriptor',
    )
  const entities = childrenNamed(root, 'metadata', 'EntityDescriptor')
  if (entities.length !== 1 || !entities[0])
    throw new MetadataFault(
      `has ${entities.length} EntityDescriptors: give that of one identity provider`,
    )
  return entities[0]
}

/** Prefers Redirect, which needs no page in between. */
function endpoint(role: Element, name: string): SamlEndpoint | undefined {
  const services = childrenNamed(role, 'metadata', name)
  for (const [binding, suffix] of [
    ['redirect', 'HTTP-Redirect'],
    ['post', 'HTTP-POST'],
  ] as const) {
    const service = services.find(
      (one) => attribute(one, 'Binding') === `urn:oasis:names:tc:SAML:2.0:bindings:${suffix}`,
    )
    const url = service && attribute(service, 'Location')?.trim()
    if (service && url)
      return { url, binding, responseUrl: attribute(service, 'ResponseLocation')?.trim() || null }
  }
  return undefined
}

function certificatesOf(key: Element): CheckedCertificate[] {
  const info = onlyChild(key, 'signature', 'KeyInfo')
  const data = info ? childrenNamed(info, 'signature', 'X509Data') : []
  return data
    .flatMap((one) => childrenNamed(one, 'signature', 'X509Certificate'))
    .flatMap((certificate) => {
      try {
        return checkCertificates(textOf(certificate))
      } catch (error) {
        if (!(error instanceof CertificateFault)) throw error
        throw new MetadataFault(`has a signing certificate that ${error.message}`, { cause: error })
      }
    })
}
