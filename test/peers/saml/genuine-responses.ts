import { makeCertificate } from '../../../gateways/saml/make-certificate.ts'
import {
  createIdentityProvider,
  type IdentityProvider,
  type ResponseOptions,
} from '../../harness/identity-provider.ts'
import type { ResponseExpected } from '../../../domain/saml/read-response.ts'
import { seededKey, type Random } from './seeded-random.ts'

export const attacker = 'mallory@acme.test'
export const victim = 'owner@acme.test'

export type Provider = { idp: IdentityProvider; expected: ResponseExpected }

const minuteMs = 60_000
/** Fixed, so that a seed makes the same responses to the octet. */
const now = new Date('2026-01-01T12:00:00Z')

export async function seededProvider(random: Random): Promise<Provider> {
  const privateKey = seededKey(random)
  const certificate = makeCertificate({
    commonName: 'idp.acme.test',
    privateKey,
    // signxml holds the certificate against the clock.
    notBefore: new Date(Date.now() - 60 * minuteMs),
    notAfter: new Date(Date.now() + 24 * 60 * minuteMs),
  })
  const idp = await createIdentityProvider({
    host: 'idp.acme.test',
    key: {
      certificate,
      privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    },
  })
  return {
    idp,
    expected: {
      requestId: `_${random.hex(40)}`,
      idpEntityId: idp.entityId,
      audience: 'https://control.test/api/auth/saml/metadata?org=acme',
      acsUrl: 'https://control.test/api/auth/saml/acs',
      certificates: [certificate],
      now,
    },
  }
}

/** Signed in each of the three ways, with what makes canonicalization do some work. */
export function genuineResponse({ idp, expected }: Provider, random: Random): string {
  const at = (minutes: number) => new Date(now.getTime() + minutes * minuteMs)
  const options: ResponseOptions = {
    id: `_${random.hex(32)}`,
    responseId: `_${random.hex(32)}`,
    sessionIndex: `_${random.hex(16)}`,
    issuedAt: now,
    responseIssuedAt: now,
    notBefore: at(-1),
    notOnOrAfter: at(5),
    confirmedUntil: at(5),
    nameId: attacker,
    attributes: { email: attacker, groups: ['dev', 'a & b <c>', ' "q" \u00fc\u{1f600} '] },
    attributesXml: random.pick([
      '',
      '\n  <saml:Attribute Name="role" FriendlyName="r&#10;&quot;x"><saml:AttributeValue xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="xs:string">viewer</saml:AttributeValue></saml:Attribute>\n',
      "<Attribute xmlns='urn:oasis:names:tc:SAML:2.0:assertion' Name='plain'\n  ><AttributeValue>a\tb\n&#13;c</AttributeValue></Attribute>",
    ]),
    sign: random.pick(['assertion', 'assertion', 'response', 'both']),
    // What it carries of keys is not believed, and a random serial number would spoil the seed.
    signing: { keyInfo: '<ds:KeyName>idp</ds:KeyName>' },
  }
  const { audience, acsUrl, requestId } = expected
  return idp.response({ audience, acsUrl, requestId }, options)
}
