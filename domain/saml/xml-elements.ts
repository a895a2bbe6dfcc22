import { SamlRefusal } from './saml-refusal.ts'

export const namespaces = {
  protocol: 'urn:oasis:names:tc:SAML:2.0:protocol',
  assertion: 'urn:oasis:names:tc:SAML:2.0:assertion',
  metadata: 'urn:oasis:names:tc:SAML:2.0:metadata',
  signature: 'http://www.w3.org/2000/09/xmldsig#',
} as const

export type Namespace = keyof typeof namespaces

const elementNode = 1

export function childElements(parent: Node): Element[] {
  const found: Element[] = []
  for (let node = parent.firstChild; node; node = node.nextSibling)
    // Only elements have this type.
    if (node.nodeType === elementNode) found.push(node as Element)
  return found
}

export const isNamed = (element: Element, namespace: Namespace, name: string): boolean =>
  element.namespaceURI === namespaces[namespace] && element.localName === name

/** Direct children alone: a search through all descendants would find wrapped elements of an attacker. */
export const childrenNamed = (parent: Node, namespace: Namespace, name: string): Element[] =>
  childElements(parent).filter((element) => isNamed(element, namespace, name))

export function onlyChild(parent: Node, namespace: Namespace, name: string): Element | undefined {
  const [first, second] = childrenNamed(parent, namespace, name)
  if (second) throw new SamlRefusal('xml_repeated_element', { cause: name })
  return first
}

/** Undefined if it is missing, where the parser returns ''. */
export const attribute = (element: Element, name: string): string | undefined =>
  element.hasAttribute(name) ? (element.getAttribute(name) ?? undefined) : undefined

/** An element's trimmed text; refuses elements inside of it. */
export function textOf(element: Element): string {
  if (childElements(element).length > 0) throw new SamlRefusal('xml_not_text')
  return (element.textContent ?? '').trim()
}
