import { verifySignature } from './verify-signature.ts'
import { assertionFacts, type AssertionFacts } from './assertion-facts.ts'
import { faultOfAge, faultOfAssertion, type Expected } from './judge-assertion.ts'
import { parseXml } from './parse-xml.ts'
import { plainSignature } from './plain-signature.ts'
import { readAssertion, readTime, type Assertion } from './read-assertion.ts'
import { SamlRefusal } from './saml-refusal.ts'
import { attribute, childrenNamed, isNamed, namespaces, onlyChild, textOf } from './xml-elements.ts'

export type ResponseExpected = Expected & { certificates: readonly string[] }

export type ReadResponse = {
  assertion: Assertion
  signed: { response: boolean; assertion: boolean }
  /** The organization's certificate that verified it. */
  certificate: string
}

/** Genuine, but not for this service, or not valid now: the administrator may see its contents. */
export class JudgedRefusal extends SamlRefusal {
  readonly about: AssertionFacts

  constructor(reason: string, about: AssertionFacts) {
    super(reason)
    this.about = about
  }
}

/** The identity provider reports that it did not sign the person in. */
export class SamlStatusRefusal extends SamlRefusal {}

const success = 'urn:oasis:names:tc:SAML:2.0:status:Success'

/**
 * Verifies a Response of the POST binding and reads its assertion. The posted document is only
 * searched for reasons to refuse it. What is believed is parsed again from the octets that a
 * signature covers, so that signature wrapping cannot show one assertion to the verifier and
 * another to the reader.
 */
export function readResponse(xml: string, expected: ResponseExpected): ReadResponse {
  // Comments are not signed, and split the text around them. No provider sends any.
  if (xml.includes('<!')) throw new SamlRefusal('xml_comment')
  const response = parseXml(xml)
  judgeResponse(response, expected)

  const sealed = childrenNamed(response, 'assertion', 'EncryptedAssertion').length
  if (sealed > 0) throw new SamlRefusal('assertion_encrypted')
  const assertions = response.getElementsByTagNameNS(namespaces.assertion, 'Assertion')
  const assertion = onlyChild(response, 'assertion', 'Assertion')
  const ofResponse = plainSignature(response)
  if (!assertion) throw new SamlRefusal('assertion_missing')
  if (assertions.length > 1) throw new SamlRefusal('assertion_repeated')
  const ofAssertion = plainSignature(assertion)

  // Any other signature is an attempt to have one element verified and another one read.
  const all = response.getElementsByTagNameNS(namespaces.signature, 'Signature').length
  const own = Number(Boolean(ofResponse)) + Number(Boolean(ofAssertion))
  if (all === 0) throw new SamlRefusal('signature_missing')
  if (all !== own) throw new SamlRefusal('signature_structure')
  assertUniqueIds(response)
  // A signed response must name its destination (SAML bindings 3.5.5.2).
  if (ofResponse && !response.hasAttribute('Destination')) throw new SamlRefusal('destination')

  const { certificates } = expected
  // A signature that is present and invalid refuses the message, even beside a valid one.
  const covered = ofResponse && verifySignature(ofResponse, certificates)
  const inner = ofAssertion && verifySignature(ofAssertion, certificates)
  const read = readAssertion(believed(inner?.covered, covered?.covered))
  const fault = faultOfAssertion(read, expected)
  if (fault !== undefined) throw new JudgedRefusal(fault, assertionFacts(read))
  return {
    assertion: read,
    signed: { response: covered !== undefined, assertion: inner !== undefined },
    certificate: inner?.certificate ?? covered?.certificate ?? '',
  }
}

function believed(assertion: string | undefined, response: string | undefined): Element {
  if (assertion !== undefined) return parseXml(assertion)
  if (response === undefined) throw new SamlRefusal('signature_missing')
  const root = parseXml(response)
  const found = isNamed(root, 'protocol', 'Response') && onlyChild(root, 'assertion', 'Assertion')
  if (!found) throw new SamlRefusal('assertion_missing')
  return found
}

function judgeResponse(response: Element, expected: ResponseExpected): void {
  if (!isNamed(response, 'protocol', 'Response')) throw new SamlRefusal('message_type')
  if (attribute(response, 'Version') !== '2.0') throw new SamlRefusal('version')
  if (!attribute(response, 'ID')) throw new SamlRefusal('response_id_missing')
  if (attribute(response, 'InResponseTo') !== expected.requestId)
    throw new SamlRefusal('in_response_to')
  const issued = readTime(attribute(response, 'IssueInstant'), 'issue_instant')
  if (!issued) throw new SamlRefusal('issue_instant_missing')
  const fault = faultOfAge(issued, expected.now.getTime())
  if (fault !== undefined) throw new SamlRefusal(fault)
  const destination = attribute(response, 'Destination')
  if (destination !== undefined && destination !== expected.acsUrl)
    throw new SamlRefusal('destination')
  const issuer = onlyChild(response, 'assertion', 'Issuer')
  if (issuer && textOf(issuer) !== expected.idpEntityId) throw new SamlRefusal('response_issuer')

  const status = onlyChild(response, 'protocol', 'Status')
  const code = status && onlyChild(status, 'protocol', 'StatusCode')
  const value = code && attribute(code, 'Value')
  if (!code || !value) throw new SamlRefusal('status_missing')
  if (value === success) return
  const nested = onlyChild(code, 'protocol', 'StatusCode')
  const word = wordOf(nested && attribute(nested, 'Value')) ?? wordOf(value) ?? 'unknown'
  throw new SamlStatusRefusal(`status_${word}`)
}

/**
 * `urn:…:status:AuthnFailed` becomes `authn_failed`. Other codes than those of SAML core 3.2.2.2 are not repeated: no
 * signature is verified by then, and the audit log would have whatever somebody invents.
 */
function wordOf(status: string | undefined): string | undefined {
  const [, word] = /^urn:oasis:names:tc:SAML:2\.0:status:(\w{1,40})$/.exec(status ?? '') ?? []
  if (word === undefined || !statusCodes.has(word)) return undefined
  return word.replaceAll(/([a-z])([A-Z])/g, '$1_$2').toLowerCase()
}

const statusCodes = new Set([
  'Requester',
  'Responder',
  'VersionMismatch',
  'AuthnFailed',
  'InvalidAttrNameOrValue',
  'InvalidNameIDPolicy',
  'NoAuthnContext',
  'NoAvailableIDP',
  'NoPassive',
  'NoSupportedIDP',
  'PartialLogout',
  'ProxyCountExceeded',
  'RequestDenied',
  'RequestUnsupported',
  'RequestVersionDeprecated',
  'RequestVersionTooHigh',
  'RequestVersionTooLow',
  'ResourceNotRecognized',
  'TooManyResponses',
  'UnknownAttrProfile',
  'UnknownPrincipal',
  'UnsupportedBinding',
])

/** Refuses duplicate IDs, by which a signature can be made to cover another element than is read. */
function assertUniqueIds(response: Element): void {
  const seen = new Set<string>()
  const all = response.getElementsByTagName('*')
  for (const element of [response, ...Array.from(all)]) {
    // Ours is `ID`; no other spelling, in any namespace, may let another verifier find a second one.
    for (const { name, value } of Array.from(element.attributes)) {
      if (!/(^|:)(assertion|response)?id$/i.test(name)) continue
      if (seen.has(value)) throw new SamlRefusal('id_repeated')
      seen.add(value)
    }
  }
}
