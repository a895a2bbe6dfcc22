import { SamlRefusal } from './saml-refusal.ts'
import { attribute, childElements, childrenNamed, isNamed, onlyChild } from './xml-elements.ts'

export const exclusiveC14n = 'http://www.w3.org/2001/10/xml-exc-c14n#'
export const envelopedSignature = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature'
export const rsaSha256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256'
export const sha256 = 'http://www.w3.org/2001/04/xmlenc#sha256'

const parts = ['SignedInfo', 'SignatureValue', 'KeyInfo']

/**
 * The signature of an element, or undefined. Refuses, before any cryptography, all but the one shape of
 * SAML core 5.4: other algorithms and transforms, a reference to another element, two references,
 * objects inside.
 */
export function plainSignature(signed: Element): Element | undefined {
  const signature = onlyChild(signed, 'signature', 'Signature')
  if (!signature) return undefined
  // In this order, because the library takes the first element of a name, wherever it is.
  childElements(signature).forEach((child, position) => {
    if (!isNamed(child, 'signature', parts[position] ?? ''))
      throw new SamlRefusal('signature_structure')
  })
  const info = need(signature, 'SignedInfo')
  need(signature, 'SignatureValue')
  assertAlgorithm(info, 'CanonicalizationMethod', exclusiveC14n)
  assertAlgorithm(info, 'SignatureMethod', rsaSha256)
  if (childElements(info).length !== 3) throw new SamlRefusal('signature_structure')

  const reference = need(info, 'Reference')
  const id = attribute(signed, 'ID')
  if (!id || attribute(reference, 'URI') !== `#${id}`) throw new SamlRefusal('signature_reference')
  assertAlgorithm(reference, 'DigestMethod', sha256)
  const transforms = childrenNamed(need(reference, 'Transforms'), 'signature', 'Transform')
  const names = transforms.map((transform) => attribute(transform, 'Algorithm'))
  if (names.length !== 2 || names[0] !== envelopedSignature || names[1] !== exclusiveC14n)
    throw new SamlRefusal('signature_transforms')
  return signature
}

function need(parent: Element, name: string): Element {
  const found = onlyChild(parent, 'signature', name)
  if (!found) throw new SamlRefusal('signature_structure')
  return found
}

function assertAlgorithm(parent: Element, name: string, algorithm: string): void {
  if (attribute(need(parent, name), 'Algorithm') !== algorithm)
    throw new SamlRefusal('signature_algorithm', { cause: name })
}
