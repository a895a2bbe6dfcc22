import { beforeAll, describe, expect, test } from 'vitest'
import { SignedXml } from 'xml-crypto'
import {
  createIdentityProvider,
  newXmlId,
  type IdentityProvider,
} from '../../test/harness/identity-provider.ts'
import { answered as to, readersOf, type Readers } from '../../test/harness/response-readers.ts'
import { wrappings, wrapSignature } from '../../test/harness/wrap-signature.ts'
import { SamlStatusRefusal } from './read-response.ts'

const victim = 'victim@acme.test'
const mallory = 'mallory@acme.test'

let idp: IdentityProvider
let other: IdentityProvider
let readers: Readers
beforeAll(async () => {
  idp = await createIdentityProvider()
  other = await createIdentityProvider()
  readers = readersOf(idp)
})
const reasonOf: Readers['reasonOf'] = (...all) => readers.reasonOf(...all)
const bare: Readers['bare'] = async (xml) => readers.bare(xml)
const read: Readers['read'] = (...all) => readers.read(...all)

describe('what a provider sends is read', () => {
  test.each(['assertion', 'response', 'both'] as const)('with the %s signed', (sign) => {
    const attributes = { email: victim, groups: ['one', 'two & three'] }
    const { assertion, signed } = read(idp.response(to, { sign, nameId: victim, attributes }))
    expect(assertion.nameId.value).toBe(victim)
    expect(assertion.attributes).toMatchObject([
      { name: 'email', values: [victim] },
      { name: 'groups', values: ['one', 'two & three'] },
    ])
    expect(signed).toEqual({ response: sign !== 'assertion', assertion: sign !== 'response' })
  })

  test('with either of two certificates while a key is changed, and with neither once it is gone', () => {
    const xml = idp.response(to)
    expect(reasonOf(xml, [other.certificate, idp.certificate])).toMatch(/^read/)
    expect(reasonOf(xml, [other.certificate])).toBe('signature_invalid')
  })

  test('with prefixes that only a value uses, as Okta and Entra ID sign them', () => {
    const id = newXmlId()
    const attributesXml =
      '<saml:Attribute Name="email"><saml:AttributeValue xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="xs:string">ada@acme.test</saml:AttributeValue></saml:Attribute>'
    const signer = new SignedXml({
      privateKey: idp.privateKey,
      signatureAlgorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
      canonicalizationAlgorithm: 'http://www.w3.org/2001/10/xml-exc-c14n#',
    })
    signer.addReference({
      xpath: `//*[@ID='${id}']`,
      transforms: [
        'http://www.w3.org/2000/09/xmldsig#enveloped-signature',
        'http://www.w3.org/2001/10/xml-exc-c14n#',
      ],
      digestAlgorithm: 'http://www.w3.org/2001/04/xmlenc#sha256',
      inclusiveNamespacesPrefixList: ['xs', 'saml'],
    })
    const whole = idp.response(to, { sign: 'none', id, attributesXml })
    signer.computeSignature(whole, {
      prefix: 'ds',
      location: { reference: `//*[@ID='${id}']/*[local-name(.)='Issuer']`, action: 'after' },
    })
    expect(reasonOf(signer.getSignedXml())).toBe('read ada@acme.test')
  })

  test('with carriage returns, entities and other scripts in values', () => {
    const attributes = { groups: ['a\r\nb', 'Łódź', 'x < y & "z"', 'tab\there'] }
    const xml = idp.response(to, { sign: 'both', attributes }).replaceAll('\r', '&#13;')
    const [groups] = read(xml).assertion.attributes
    expect(groups?.values).toContain('x < y & "z"')
    expect(groups?.values).toContain('Łódź')
  })
})

describe('signature wrapping', () => {
  for (const wrapping of wrappings)
    for (const sameId of [false, true])
      for (const sign of wrapping < 3
        ? (['response', 'both'] as const)
        : (['assertion', 'both'] as const))
        test(`XSW${wrapping}, ${sign} signed, ${sameId ? 'one ID twice' : 'another ID'}`, async () => {
          const xml = idp.response(to, { sign, nameId: mallory, attributes: { email: mallory } })
          expect(reasonOf(xml)).toBe(`read ${mallory}`)
          const evil = wrapSignature(xml, wrapping, { from: mallory, to: victim, sameId })
          // Both are in it: it is not refused because one was lost on the way.
          expect([evil.includes(victim), evil.includes(mallory)]).toEqual([true, true])
          expect(reasonOf(evil)).not.toMatch(/^read|^xml_malformed/)
          expect(await bare(evil)).not.toBe(`read ${victim}`)
        })

  test('a genuine signature over something else does not vouch for an assertion beside it', () => {
    const logout = `<samlp:LogoutResponse xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_l"><saml:Issuer>${idp.entityId}</saml:Issuer></samlp:LogoutResponse>`
    const signed = idp.sign(logout, '_l')
    const [signature = ''] = /<ds:Signature.*<\/ds:Signature>/s.exec(signed) ?? []
    const id = '_l'
    const xml = idp.response(to, { sign: 'none', id, nameId: victim })
    const evil = xml.replace(
      '</saml:Issuer><saml:Subject>',
      `</saml:Issuer>${signature}<saml:Subject>`,
    )
    expect(evil).not.toBe(xml)
    expect(reasonOf(evil)).toBe('signature_digest')
  })
})

test('a failure that the provider reports is told apart from a forgery', () => {
  const xml = idp.response(to, {
    sign: 'none',
    assertionXml: ' ',
    status: 'urn:oasis:names:tc:SAML:2.0:status:Responder',
    nestedStatus: 'urn:oasis:names:tc:SAML:2.0:status:AuthnFailed',
  })
  expect(() => read(xml)).toThrow(SamlStatusRefusal)
  expect(reasonOf(xml)).toBe('status_authn_failed')
})
