import { SAML } from '@node-saml/node-saml'
import { readResponse, type ReadResponse } from '../../domain/saml/read-response.ts'
import { SamlRefusal } from '../../domain/saml/saml-refusal.ts'
import type { IdentityProvider } from './identity-provider.ts'

/** The request that all responses in these tests answer. */
export const answered = {
  audience: 'https://sp.test/api/auth/saml/metadata?org=acme',
  acsUrl: 'https://sp.test/api/auth/saml/acs',
  requestId: `_${'a'.repeat(40)}`,
}

export type Readers = {
  read(xml: string, certificates?: string[]): ReadResponse
  /** `read <name>`, or the reason of the refusal. */
  reasonOf(xml: string, certificates?: string[]): string
  /**
   * What node-saml alone reads, set up as its documentation says for providers that sign either the
   * Response or the Assertion.
   */
  bare(xml: string): Promise<string>
}

/** Our reader of SAML responses beside node-saml. */
export function readersOf(idp: IdentityProvider): Readers {
  const read: Readers['read'] = (xml, certificates = [idp.certificate]) =>
    readResponse(xml, { ...answered, idpEntityId: idp.entityId, certificates, now: new Date() })
  return {
    read,
    reasonOf(xml, certificates) {
      try {
        return `read ${read(xml, certificates).assertion.nameId.value}`
      } catch (error) {
        if (error instanceof SamlRefusal) return error.reason
        throw error
      }
    },
    async bare(xml) {
      const library = new SAML({
        issuer: answered.audience,
        audience: answered.audience,
        callbackUrl: answered.acsUrl,
        entryPoint: idp.ssoUrl,
        idpCert: idp.certificate,
        wantAssertionsSigned: false,
        wantAuthnResponseSigned: false,
        acceptedClockSkewMs: 60_000,
      })
      try {
        const SAMLResponse = Buffer.from(xml).toString('base64')
        const { profile } = await library.validatePostResponseAsync({ SAMLResponse })
        return profile ? `read ${profile.nameID}` : 'nothing'
      } catch {
        return 'refused'
      }
    },
  }
}
