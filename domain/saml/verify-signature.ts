import { createHash, createPublicKey, timingSafeEqual, verify, type KeyObject } from 'node:crypto'
import { ExclusiveCanonicalization } from 'xml-crypto'
import { parseXml } from './parse-xml.ts'
import { exclusiveC14n } from './plain-signature.ts'
import { SamlRefusal } from './saml-refusal.ts'
import { attribute, childElements, onlyChild, textOf } from './xml-elements.ts'
import { decodeBase64 } from './decode-base64.ts'

/**
 * Returns the octets that a signature covers, verified with one of the organization's keys; a certificate
 * in the message is ignored. The signature has passed plainSignature: RSA-SHA256 over its parent element.
 *
 * The result does not depend on correct canonicalization: the digest is read from the octets of the
 * SignedInfo that the key signed, and the returned octets have this digest. A fault in canonicalization
 * can refuse a good message and never admit another one.
 *
 * Removes the signature from the document, as the enveloped-signature transform requires.
 */
export function verifySignature(
  signature: Element,
  certificates: readonly string[],
): { covered: string; certificate: string } {
  const signed = signature.parentNode
  const info = onlyChild(signature, 'signature', 'SignedInfo')
  const value = onlyChild(signature, 'signature', 'SignatureValue')
  // An element, because plainSignature found the signature among its children.
  const element = signed as Element | null
  if (!element || !info || !value) throw new SamlRefusal('signature_structure')

  const method = onlyChild(info, 'signature', 'CanonicalizationMethod')
  const signedInfo = canonical(info, method)
  const octets = Buffer.from(signedInfo)
  const mark = decodeBase64(textOf(value))
  const certificate = certificates.find((one) => verify('sha256', octets, keyOf(one), mark))
  if (certificate === undefined) throw new SamlRefusal('signature_invalid')

  const { digest, transform } = readReference(parseXml(signedInfo))
  element.removeChild(signature)
  const covered = canonical(element, transform)
  const found = createHash('sha256').update(covered).digest()
  if (digest.length !== found.length || !timingSafeEqual(digest, found))
    throw new SamlRefusal('signature_digest')
  return { covered, certificate }
}

function readReference(info: Element): { digest: Buffer; transform: Element | undefined } {
  const reference = onlyChild(info, 'signature', 'Reference')
  const transforms = reference && onlyChild(reference, 'signature', 'Transforms')
  const digest = reference && onlyChild(reference, 'signature', 'DigestValue')
  if (!transforms || !digest) throw new SamlRefusal('signature_structure')
  const transform = childElements(transforms).find(
    (one) => attribute(one, 'Algorithm') === exclusiveC14n,
  )
  return { digest: decodeBase64(textOf(digest)), transform }
}

/** As many as an element may declare. Providers name one or two. */
const maxPrefixes = 64

/**
 * Prefixes to keep although no name uses them, like `xs` in the value of `xsi:type`. The library compares each with
 * each namespace around the element, before anything is verified: an attacker's 100,000 took 0.15 s.
 */
function prefixesOf(method: Element | undefined): string[] {
  const kept = childElements(method ?? emptyNode).find(
    ({ localName, namespaceURI }) =>
      localName === 'InclusiveNamespaces' && namespaceURI === exclusiveC14n,
  )
  const list = (kept && attribute(kept, 'PrefixList')) ?? ''
  const prefixes = list.trim().split(/\s+/, maxPrefixes + 1)
  if (prefixes.length > maxPrefixes) throw new SamlRefusal('signature_structure')
  return prefixes.filter(Boolean)
}

const emptyNode = parseXml('<none/>')

function canonical(element: Element, method: Element | undefined): string {
  const inclusiveNamespacesPrefixList = prefixesOf(method)
  return new ExclusiveCanonicalization().process(element, {
    inclusiveNamespacesPrefixList,
    ancestorNamespaces: inclusiveNamespacesPrefixList.length === 0 ? [] : namespacesAround(element),
  })
}

/** The closest declaration of each prefix outside of the element. */
function namespacesAround(element: Element): Array<{ prefix: string; namespaceURI: string }> {
  const found = new Map<string, string>()
  for (let node = element.parentNode; node && node.nodeType === 1; node = node.parentNode)
    // Only elements have this type.
    for (const { prefix, localName, value } of Array.from((node as Element).attributes))
      if (prefix === 'xmlns' && !found.has(localName)) found.set(localName, value)
  return [...found].map(([prefix, namespaceURI]) => ({ prefix, namespaceURI }))
}

/** Parsing a certificate costs more than verifying with its key. */
const keys = new Map<string, KeyObject>()
const maxKeys = 1_000

function keyOf(certificate: string): KeyObject {
  const known = keys.get(certificate)
  if (known) return known
  const key = createPublicKey(certificate)
  // The algorithm is RSA's; with another kind of key something else would be verified.
  if (key.asymmetricKeyType !== 'rsa') throw new SamlRefusal('certificate_not_rsa')
  if (keys.size >= maxKeys) keys.clear()
  keys.set(certificate, key)
  return key
}
