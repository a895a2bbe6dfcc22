import { generateKeyPair, randomBytes, X509Certificate } from 'node:crypto'
import { promisify } from 'node:util'
import { SignedXml } from 'xml-crypto'
import { makeCertificate } from '../../gateways/saml/make-certificate.ts'

export type SigningOptions = {
  signatureAlgorithm?: string
  digestAlgorithm?: string
  canonicalizationAlgorithm?: string
  transforms?: string[]
  keyInfo?: string
}

export type AssertionOptions = {
  id?: string
  issuer?: string
  nameId?: string
  nameIdXml?: string
  audience?: string | string[]
  recipient?: string
  inResponseTo?: string
  notBefore?: Date | null
  notOnOrAfter?: Date | null
  confirmedUntil?: Date | null
  issuedAt?: Date
  sessionIndex?: string
  sessionNotOnOrAfter?: Date
  method?: string
  attributes?: Record<string, string | string[]>
  /** XML that is appended to the attributes unchanged. */
  attributesXml?: string
  conditionsXml?: string
  authnStatementXml?: string
  version?: string
}

export type ResponseOptions = AssertionOptions & {
  sign?: 'assertion' | 'response' | 'both' | 'none'
  signing?: SigningOptions
  responseId?: string
  responseIssuer?: string | null
  responseInResponseTo?: string | null
  responseIssuedAt?: Date
  destination?: string | null
  status?: string
  nestedStatus?: string
  /** Changes the assertion before it is signed. */
  editAssertion?: (xml: string) => string
  /** XML to send instead of one assertion. */
  assertionXml?: string
}

export type IdentityProvider = {
  entityId: string
  ssoUrl: string
  sloUrl: string
  certificate: string
  privateKey: string
  metadata(more?: { certificates?: string[] }): string
  assertion(to: SpSide, options?: AssertionOptions): string
  /** The XML of a response, signed as asked. */
  response(to: SpSide, options?: ResponseOptions): string
  sign(xml: string, id: string, options?: SigningOptions): string
}

/** The data of a request that an identity provider needs for its response. */
export type SpSide = { audience: string; acsUrl: string; requestId: string }

const ns = {
  protocol: 'urn:oasis:names:tc:SAML:2.0:protocol',
  assertion: 'urn:oasis:names:tc:SAML:2.0:assertion',
  signature: 'http://www.w3.org/2000/09/xmldsig#',
}
export const newXmlId = () => `_${randomBytes(16).toString('hex')}`
const minutes = (n: number) => new Date(Date.now() + n * 60_000)
const time = (date: Date) => date.toISOString()
const escape = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

/**
 * A test identity provider that sends any response a test asks for, with a valid signature or
 * without.
 */
export async function createIdentityProvider({
  bits = 2048,
  validFrom = minutes(-60),
  validUntil = minutes(60 * 24 * 365),
  host = `idp-${randomBytes(4).toString('hex')}.example`,
  key,
}: {
  bits?: number
  validFrom?: Date
  validUntil?: Date
  host?: string
  /** Used instead of a new key and certificate. */
  key?: { certificate: string; privateKey: string }
} = {}): Promise<IdentityProvider> {
  const entityId = `https://${host}/metadata`
  const { certificate, privateKey } = key ?? (await makeKey({ bits, validFrom, validUntil, host }))
  const bare = new X509Certificate(certificate).raw.toString('base64')
  const ssoUrl = `https://${host}/sso`
  const sloUrl = `https://${host}/slo`

  const idp: IdentityProvider = {
    entityId,
    ssoUrl,
    sloUrl,
    certificate,
    privateKey,

    metadata({ certificates = [bare] } = {}) {
      const keys = certificates.map(
        (one) =>
          `<md:KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="${ns.signature}"><ds:X509Data><ds:X509Certificate>${one}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`,
      )
      const binding = (name: string) => `urn:oasis:names:tc:SAML:2.0:bindings:HTTP-${name}`
      return `<?xml version="1.0"?><md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${entityId}"><md:IDPSSODescriptor protocolSupportEnumeration="${ns.protocol}">${keys.join('')}<md:SingleLogoutService Binding="${binding('POST')}" Location="${sloUrl}/post"/><md:SingleLogoutService Binding="${binding('Redirect')}" Location="${sloUrl}" ResponseLocation="${sloUrl}/response"/><md:SingleSignOnService Binding="${binding('POST')}" Location="${ssoUrl}/post"/><md:SingleSignOnService Binding="${binding('Redirect')}" Location="${ssoUrl}"/></md:IDPSSODescriptor></md:EntityDescriptor>`
    },

    assertion(to, options = {}) {
      return assertionXml(idp, to, options)
    },

    response(to, options = {}) {
      const { sign = 'assertion', editAssertion = (xml: string) => xml } = options
      const id = options.id ?? newXmlId()
      let inner = options.assertionXml ?? editAssertion(assertionXml(idp, to, { ...options, id }))
      if (sign === 'assertion' || sign === 'both') inner = idp.sign(inner, id, options.signing)
      const responseId = options.responseId ?? newXmlId()
      const whole = responseXml(idp, to, { ...options, responseId, inner })
      return sign === 'response' || sign === 'both'
        ? idp.sign(whole, responseId, options.signing)
        : whole
    },

    sign(xml, id, options = {}) {
      const signer = new SignedXml({
        privateKey,
        idAttribute: 'ID',
        signatureAlgorithm:
          options.signatureAlgorithm ?? 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
        canonicalizationAlgorithm:
          options.canonicalizationAlgorithm ?? 'http://www.w3.org/2001/10/xml-exc-c14n#',
        getKeyInfoContent: () =>
          options.keyInfo ??
          `<ds:X509Data><ds:X509Certificate>${bare}</ds:X509Certificate></ds:X509Data>`,
      })
      signer.addReference({
        xpath: `//*[@ID='${id}']`,
        transforms: options.transforms ?? [
          'http://www.w3.org/2000/09/xmldsig#enveloped-signature',
          'http://www.w3.org/2001/10/xml-exc-c14n#',
        ],
        digestAlgorithm: options.digestAlgorithm ?? 'http://www.w3.org/2001/04/xmlenc#sha256',
      })
      signer.computeSignature(xml, {
        prefix: 'ds',
        location: {
          reference: `//*[@ID='${id}']/*[local-name(.)='Issuer']`,
          action: 'after',
        },
      })
      return signer.getSignedXml()
    },
  }
  return idp
}

function assertionXml(idp: IdentityProvider, to: SpSide, options: AssertionOptions): string {
  const {
    id = newXmlId(),
    issuer = idp.entityId,
    nameId = 'ada@acme.test',
    audience = to.audience,
    recipient = to.acsUrl,
    inResponseTo = to.requestId,
    notBefore = minutes(-1),
    notOnOrAfter = minutes(5),
    confirmedUntil = minutes(5),
    issuedAt = new Date(),
    sessionIndex = newXmlId(),
    method = 'urn:oasis:names:tc:SAML:2.0:cm:bearer',
    attributes = {},
  } = options
  const when = (name: string, at: Date | null | undefined) => (at ? ` ${name}="${time(at)}"` : '')
  const audiences = [audience].flat().map((one) => `<saml:Audience>${escape(one)}</saml:Audience>`)
  const stated = Object.entries(attributes).map(
    ([name, values]) =>
      `<saml:Attribute Name="${escape(name)}">${[values]
        .flat()
        .map((value) => `<saml:AttributeValue>${escape(value)}</saml:AttributeValue>`)
        .join('')}</saml:Attribute>`,
  )
  const nameIdXml =
    options.nameIdXml ??
    `<saml:NameID Format="urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress">${escape(nameId)}</saml:NameID>`
  const conditions =
    options.conditionsXml ??
    `<saml:Conditions${when('NotBefore', notBefore)}${when('NotOnOrAfter', notOnOrAfter)}><saml:AudienceRestriction>${audiences.join('')}</saml:AudienceRestriction></saml:Conditions>`
  const statement =
    options.authnStatementXml ??
    `<saml:AuthnStatement AuthnInstant="${time(issuedAt)}" SessionIndex="${sessionIndex}"${when('SessionNotOnOrAfter', options.sessionNotOnOrAfter)}><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>`
  return `<saml:Assertion xmlns:saml="${ns.assertion}" ID="${id}" Version="${options.version ?? '2.0'}" IssueInstant="${time(issuedAt)}"><saml:Issuer>${escape(issuer)}</saml:Issuer><saml:Subject>${nameIdXml}<saml:SubjectConfirmation Method="${method}"><saml:SubjectConfirmationData InResponseTo="${inResponseTo}" Recipient="${escape(recipient)}"${when('NotOnOrAfter', confirmedUntil)}/></saml:SubjectConfirmation></saml:Subject>${conditions}${statement}<saml:AttributeStatement>${stated.join('')}${options.attributesXml ?? ''}</saml:AttributeStatement></saml:Assertion>`
}

function responseXml(
  idp: IdentityProvider,
  to: SpSide,
  options: ResponseOptions & { responseId: string; inner: string },
): string {
  const attribute = (name: string, value: string | null) =>
    value === null ? '' : ` ${name}="${escape(value)}"`
  const { responseIssuer = idp.entityId, destination = to.acsUrl } = options
  const { responseInResponseTo = options.inResponseTo ?? to.requestId } = options
  const {
    status = 'urn:oasis:names:tc:SAML:2.0:status:Success',
    nestedStatus,
    responseIssuedAt = new Date(),
  } = options
  const nested = nestedStatus ? `<samlp:StatusCode Value="${nestedStatus}"/>` : ''
  const issuer =
    responseIssuer === null ? '' : `<saml:Issuer>${escape(responseIssuer)}</saml:Issuer>`
  return `<samlp:Response xmlns:samlp="${ns.protocol}" xmlns:saml="${ns.assertion}" ID="${options.responseId}" Version="2.0" IssueInstant="${time(responseIssuedAt)}"${attribute('Destination', destination)}${attribute('InResponseTo', responseInResponseTo)}>${issuer}<samlp:Status><samlp:StatusCode Value="${status}">${nested}</samlp:StatusCode></samlp:Status>${options.inner}</samlp:Response>`
}

/** A self-signed certificate and its key, both PEM. */
export async function makeKey({
  bits = 2048,
  host = 'idp.example',
  validFrom = minutes(-60),
  validUntil = minutes(60 * 24 * 365),
}: {
  bits?: number
  host?: string
  validFrom?: Date
  validUntil?: Date
}): Promise<{ certificate: string; privateKey: string }> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: bits })
  return {
    certificate: makeCertificate({
      commonName: host,
      privateKey,
      notBefore: validFrom,
      notAfter: validUntil,
    }),
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}
