import { beforeAll, describe, expect, test } from 'vitest'
import {
  createIdentityProvider,
  newXmlId,
  type IdentityProvider,
  type ResponseOptions,
} from '../../test/harness/identity-provider.ts'
import { answered as to, readersOf, type Readers } from '../../test/harness/response-readers.ts'

const victim = 'victim@acme.test'
const mallory = 'mallory@acme.test'
const minutes = (n: number) => new Date(Date.now() + n * 60_000)

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

describe('refused by the library as well', () => {
  const cases: Record<string, [() => string, RegExp]> = {
    'no signature': [() => idp.response(to, { sign: 'none' }), /^signature_missing/],
    'changed after it was signed': [
      () => idp.response(to, { nameId: mallory }).replaceAll(mallory, victim),
      /^signature_digest/,
    ],
    'changed signature value': [
      () => idp.response(to).replace(/<ds:SignatureValue>..../, '<ds:SignatureValue>AAAA'),
      /^signature_invalid/,
    ],
    'another provider’s key, its certificate sent along': [
      () => other.response(to, { issuer: idp.entityId, responseIssuer: idp.entityId }),
      /^signature_invalid/,
    ],
    'another audience': [() => idp.response(to, { audience: `${to.audience}2` }), /^audience/],
    expired: [
      () => idp.response(to, { notOnOrAfter: minutes(-2), issuedAt: minutes(-5) }),
      /^expired/,
    ],
    'not valid yet': [() => idp.response(to, { notBefore: minutes(3) }), /^not_yet_valid/],
    'a bearer without an end': [
      () => idp.response(to, { confirmedUntil: null }),
      /^confirmation_not_on_or_after_missing/,
    ],
    'two assertions, each signed': [
      () => {
        const [a, b] = [newXmlId(), newXmlId()]
        const inner =
          idp.sign(idp.assertion(to, { id: a }), a) + idp.sign(idp.assertion(to, { id: b }), b)
        return idp.response(to, { sign: 'none', assertionXml: inner })
      },
      /^xml_repeated_element/,
    ],
    'no assertion': [
      () => idp.response(to, { sign: 'response', assertionXml: ' ' }),
      /^assertion_missing/,
    ],
  }
  test.each(Object.entries(cases))('%s', async (_, [make, reason]) => {
    expect(await bare(make())).toBe('refused')
    expect(reasonOf(make())).toMatch(reason)
  })
})

const sha1 = 'http://www.w3.org/2000/09/xmldsig#sha1'
const enveloped = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature'
const inclusive = 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315'
const exclusive = 'http://www.w3.org/2001/10/xml-exc-c14n#'
const confirmed = (data: string) => (xml: string) =>
  xml.replace(/<saml:SubjectConfirmation Method.*<\/saml:SubjectConfirmation>/s, data)

describe('accepted by the bare library, refused here', () => {
  const cases: Record<string, [ResponseOptions | (() => string), RegExp]> = {
    'signed with RSA-SHA1': [
      { signing: { signatureAlgorithm: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' } },
      /^signature_algorithm/,
    ],
    'signed with RSA-SHA512': [
      { signing: { signatureAlgorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512' } },
      /^signature_algorithm/,
    ],
    'a digest of SHA-1': [{ signing: { digestAlgorithm: sha1 } }, /^signature_algorithm/],
    'canonicalization that takes the namespaces around it in': [
      { sign: 'response', signing: { canonicalizationAlgorithm: inclusive } },
      /^signature_algorithm/,
    ],
    'canonicalization with comments': [
      { signing: { canonicalizationAlgorithm: `${exclusive}WithComments` } },
      /^signature_algorithm/,
    ],
    'a transform with comments': [
      { signing: { transforms: [enveloped, `${exclusive}WithComments`] } },
      /^signature_transforms/,
    ],
    'a transform of inclusive canonicalization': [
      { sign: 'response', signing: { transforms: [enveloped, inclusive] } },
      /^signature_transforms/,
    ],
    'another issuer of the assertion': [{ issuer: 'https://evil.example' }, /^issuer/],
    'another issuer of the response': [
      { responseIssuer: 'https://evil.example' },
      /^response_issuer/,
    ],
    'another recipient': [{ recipient: 'https://evil.example/acs' }, /^recipient/],
    'another destination': [{ destination: 'https://evil.example/acs' }, /^destination/],
    'a signed response that names no destination': [
      { sign: 'response', destination: null },
      /^destination/,
    ],
    'a signed InResponseTo that is another request’s, under an unsigned one that fits': [
      { inResponseTo: `_${'b'.repeat(40)}`, responseInResponseTo: to.requestId },
      /^in_response_to/,
    ],
    'no InResponseTo that is signed': [
      { editAssertion: (xml) => xml.replace(/ InResponseTo="[^"]*"/, '') },
      /^in_response_to/,
    ],
    'conditions without a time': [
      {
        conditionsXml: `<saml:Conditions><saml:AudienceRestriction><saml:Audience>${to.audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions>`,
      },
      /^not_on_or_after_missing/,
    ],
    'a bearer whose time is over': [{ confirmedUntil: minutes(-2) }, /^confirmation_expired/],
    'no bearer': [
      { method: 'urn:oasis:names:tc:SAML:2.0:cm:holder-of-key' },
      /^confirmation_missing/,
    ],
    'no confirmation at all': [{ editAssertion: confirmed('') }, /^confirmation_missing/],
    'issued an hour ago': [{ issuedAt: minutes(-60) }, /^stale/],
    'issued in an hour': [{ issuedAt: minutes(60) }, /^issued_in_future/],
    'a status that is no success, with an assertion': [
      { status: 'urn:oasis:names:tc:SAML:2.0:status:Responder' },
      /^status_responder/,
    ],
    'no name': [{ nameId: '' }, /^name_id_missing/],
    'no authentication statement': [{ authnStatementXml: '' }, /^authn_statement_missing/],
    'a session that is over': [{ sessionNotOnOrAfter: minutes(-5) }, /^session_over/],
    'a condition that nobody knows': [
      {
        editAssertion: (xml) =>
          xml.replace('</saml:Conditions>', '<saml:Condition xmlns:x="urn:x"/></saml:Conditions>'),
      },
      /^condition_unknown/,
    ],
    'another version of SAML': [{ version: '1.1' }, /^version/],
    'a broken signature within a good one': [
      () => {
        const id = newXmlId()
        const broken = idp
          .sign(idp.assertion(to, { id, nameId: mallory }), id)
          .replaceAll(mallory, victim)
        return idp.response(to, { sign: 'response', assertionXml: broken })
      },
      /^signature_digest/,
    ],
    'a comment that splits the name': [
      () =>
        idp.response(to, { nameId: `${victim}.evil.test` }).replace(victim, `${victim}<!-- -->`),
      /^xml_comment/,
    ],
    'a document type': [
      () => `<!DOCTYPE Response [<!ELEMENT x ANY>]>${idp.response(to)}`,
      /^xml_comment|^xml_doctype/,
    ],
    'a processing instruction': [
      () => idp.response(to).replace('<samlp:Status>', '<?evil instruction?><samlp:Status>'),
      /^xml_processing_instruction/,
    ],
  }
  test.each(Object.entries(cases))('%s', async (_, [given, reason]) => {
    const xml = typeof given === 'function' ? given() : idp.response(to, given)
    expect(await bare(xml)).toMatch(/^read/)
    expect(reasonOf(xml)).toMatch(reason)
  })
})
