import { isDeepStrictEqual } from 'node:util'
import { parseXml } from '../../domain/saml/parse-xml.ts'
import { readAssertion } from '../../domain/saml/read-assertion.ts'
import {
  JudgedRefusal,
  readResponse,
  type ReadResponse,
  type ResponseExpected,
} from '../../domain/saml/read-response.ts'
import { assertionFacts } from '../../domain/saml/assertion-facts.ts'
import { SamlRefusal } from '../../domain/saml/saml-refusal.ts'
import { createLibrary } from './create-library.ts'

/** Our own reader of responses; a test puts one in its place that believes everything. */
export type Reader = typeof readResponse

/**
 * Reads a response that two verifiers accept, ours and node-saml, and in which both verified
 * the same assertion: a fault in one of them admits nobody. Ours is the cheaper, and refuses
 * before the other sees anything that it might choke on.
 */
export async function readTwice(
  xml: string,
  expected: ResponseExpected,
  read: Reader = readResponse,
): Promise<ReadResponse> {
  const ours = read(xml, expected)
  const theirs = await verifyByLibrary(xml, expected).catch((error: unknown) => {
    throw new SamlRefusal('second_verifier_refused', { cause: error })
  })
  const { assertion } = ours
  const same =
    theirs.nameId === assertion.nameId.value &&
    isDeepStrictEqual(readAssertion(parseXml(theirs.assertionXml)), assertion)
  if (!same) throw new JudgedRefusal('second_verifier_differs', assertionFacts(assertion))
  return ours
}

/** What the library verified: the octets of the assertion, and the name as its own parser reads it. */
async function verifyByLibrary(
  xml: string,
  { audience, acsUrl, requestId, certificates }: ResponseExpected,
): Promise<{ assertionXml: string; nameId: string | undefined }> {
  const library = createLibrary({ audience, acsUrl, requestId, idpCert: [...certificates] })
  const { profile } = await library.validatePostResponseAsync({
    SAMLResponse: Buffer.from(xml).toString('base64'),
  })
  const assertionXml = profile?.getAssertionXml?.()
  if (!profile || assertionXml === undefined) throw new Error('no assertion was verified')
  // The library writes what it verified once more, and a carriage return as it is: read again it
  // would be a line feed (XML 1.0 2.11), and a genuine value with one would differ from ours.
  return { assertionXml: assertionXml.replaceAll('\r', '&#13;'), nameId: profile.nameID.trim() }
}
