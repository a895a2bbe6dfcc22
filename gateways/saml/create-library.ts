import { SAML, ValidateInResponseTo, type SamlConfig } from '@node-saml/node-saml'
import { maxAgeMs, skewMs } from '../../domain/saml/judge-assertion.ts'

export type LibraryOptions = Pick<
  SamlConfig,
  'idpCert' | 'generateUniqueId' | 'entryPoint' | 'skipRequestCompression'
> & {
  audience: string
  acsUrl: string
  /** The only request that an answer may be to. */
  requestId: string
}

/** node-saml for one organization and one request, with every default that is too lax or too strict replaced. */
export function createLibrary({ audience, acsUrl, requestId, ...options }: LibraryOptions): SAML {
  return new SAML({
    ...options,
    issuer: audience,
    audience,
    callbackUrl: acsUrl,
    // One of the two must be signed: Google signs either, Okta both.
    wantAssertionsSigned: false,
    wantAuthnResponseSigned: false,
    validateInResponseTo: ValidateInResponseTo.always,
    cacheProvider: onlyRequest(requestId),
    requestIdExpirationPeriodMs: maxAgeMs,
    acceptedClockSkewMs: skewMs,
    maxAssertionAgeMs: maxAgeMs,
    signatureAlgorithm: 'sha256',
    digestAlgorithm: 'sha256',
    // A request for a password would be refused by providers that require a second factor.
    disableRequestedAuthnContext: true,
    // The administrator maps what the provider sends, whatever its format.
    identifierFormat: null,
  })
}

/** A cache of this request alone: whether it is open was decided in the database. */
const onlyRequest = (requestId: string): NonNullable<SamlConfig['cacheProvider']> => ({
  saveAsync: async () => null,
  getAsync: async (key) => (key === requestId ? new Date().toISOString() : null),
  removeAsync: async () => null,
})
