import { DOMParser, XMLSerializer } from '@xmldom/xmldom'
import { wrappings, wrapSignature } from '../../harness/wrap-signature.ts'
import type { Mutation, Scene } from './mutate-text.ts'

type Tree = { doc: Document; elements: Element[]; pick: () => Element }

/** Over the tree: what moves is whole elements, so that the document stays well-formed. */
const overTree =
  (change: (tree: Tree, scene: Scene) => void): Mutation =>
  (scene) => {
    const doc = parse(scene.xml)
    const elements = Array.from(doc.getElementsByTagName('*'))
    // The root has no place to be moved to.
    const pick = () => scene.random.pick(elements.slice(1))
    change({ doc, elements, pick }, scene)
    return new XMLSerializer().serializeToString(doc)
  }

/** Refuses what a mutation before has spoiled, and says nothing of it. */
function parse(xml: string): Document {
  const refuse = (message: unknown) => {
    throw new Error(String(message))
  }
  const errorHandler = { warning: refuse, error: refuse, fatalError: refuse }
  return new DOMParser({ errorHandler }).parseFromString(xml, 'text/xml')
}

// A clone of an element is one.
const copyOf = (element: Element) => element.cloneNode(true) as Element
const signatureNs = 'http://www.w3.org/2000/09/xmldsig#'
const assertionNs = 'urn:oasis:names:tc:SAML:2.0:assertion'
const protocolNs = 'urn:oasis:names:tc:SAML:2.0:protocol'

const named = ({ elements }: Tree, name: string) =>
  elements.filter(({ localName }) => localName === name)

/** With the victim in the place of the attacker's own address, and perhaps without a signature. */
function evilCopy(element: Element, { victim, attacker, random }: Scene): Element {
  const copy = copyOf(element)
  if (random.chance(0.6))
    for (const one of Array.from(copy.getElementsByTagNameNS(signatureNs, 'Signature')))
      one.parentNode?.removeChild(one)
  const change = (node: Node): void => {
    // A text node's own field: the serializer reads no other.
    if (node.nodeType === 3) (node as Text).data = (node as Text).data.replaceAll(attacker, victim)
    for (const child of Array.from(node.childNodes ?? [])) change(child)
  }
  change(copy)
  if (random.chance(0.5)) copy.setAttribute('ID', `_${random.hex(32)}`)
  return copy
}

const isInside = (inner: Node | null, outer: Node): boolean =>
  inner !== null && (inner === outer || isInside(inner.parentNode, outer))

export const elementMutations: Record<string, Mutation> = {
  wrap: ({ xml, random, attacker, victim }) =>
    wrapSignature(new XMLSerializer().serializeToString(parse(xml)), random.pick(wrappings), {
      from: attacker,
      to: victim,
      sameId: random.chance(0.5),
    }),
  move: overTree(({ pick }) => {
    const [what, where] = [pick(), pick()]
    if (isInside(where, what)) return
    where.parentNode?.insertBefore(what, where)
  }),
  moveInside: overTree(({ pick }) => {
    const [what, where] = [pick(), pick()]
    if (!isInside(where, what)) where.appendChild(what)
  }),
  copy: overTree(({ pick }) => {
    const where = pick()
    where.parentNode?.insertBefore(copyOf(pick()), where)
  }),
  copyBehind: overTree(({ pick }) => {
    const what = pick()
    what.parentNode?.insertBefore(copyOf(what), what.nextSibling)
  }),
  remove: overTree(({ pick }) => {
    const what = pick()
    what.parentNode?.removeChild(what)
  }),
  swap: overTree(({ pick }) => {
    const what = pick()
    if (what.nextSibling) what.parentNode?.insertBefore(what.nextSibling, what)
  }),
  enclose: overTree(({ doc, pick }, { random }) => {
    const what = pick()
    const around = random.pick([
      doc.createElementNS(protocolNs, 'samlp:Extensions'),
      doc.createElementNS(signatureNs, 'ds:Object'),
      doc.createElementNS(assertionNs, 'saml:Advice'),
      doc.createElementNS('urn:evil', 'x'),
    ])
    what.parentNode?.replaceChild(around, what)
    around.appendChild(what)
  }),
  unwrap: overTree(({ pick }) => {
    const what = pick()
    for (const child of Array.from(what.childNodes)) what.parentNode?.insertBefore(child, what)
    what.parentNode?.removeChild(what)
  }),
  evilAssertion: overTree((tree, scene) => {
    const [assertion] = named(tree, 'Assertion')
    if (!assertion) return
    const where = scene.random.pick(tree.elements.slice(1))
    where.parentNode?.insertBefore(evilCopy(assertion, scene), where)
  }),
  evilInPlace: overTree((tree, scene) => {
    const [assertion] = named(tree, 'Assertion')
    if (!assertion?.parentNode) return
    const evil = evilCopy(assertion, scene)
    assertion.parentNode.replaceChild(evil, assertion)
    scene.random.pick(Array.from(evil.getElementsByTagName('*'))).appendChild(assertion)
  }),
  evilName: overTree((tree, scene) => {
    const name = scene.random.pick(named(tree, scene.random.chance(0.5) ? 'NameID' : 'Attribute'))
    name.parentNode?.insertBefore(evilCopy(name, scene), name)
  }),
  evilInName: overTree((tree, { victim, random }) => {
    const name = random.pick([...named(tree, 'NameID'), ...named(tree, 'AttributeValue')])
    const inner = tree.doc.createElementNS('urn:x', 'x')
    inner.appendChild(tree.doc.createTextNode(victim))
    name.insertBefore(inner, random.chance(0.5) ? name.firstChild : null)
  }),
  assertionOfAnother: overTree((tree, { other, random }) => {
    const [assertion] = named(tree, 'Assertion')
    const theirs = parse(other).getElementsByTagNameNS(assertionNs, 'Assertion')[0]
    if (!assertion?.parentNode || !theirs) return
    const copy = copyOf(theirs)
    if (random.chance(0.5)) assertion.parentNode.replaceChild(copy, assertion)
    else assertion.parentNode.insertBefore(copy, random.chance(0.5) ? assertion : null)
  }),
  signatureTwice: overTree((tree, { random }) => {
    const signature = random.pick(named(tree, 'Signature'))
    const where = random.chance(0.5) ? signature.parentNode : tree.doc.documentElement
    where?.appendChild(copyOf(signature))
  }),
  signatureAway: overTree((tree, { random }) => {
    const signature = random.pick(named(tree, 'Signature'))
    signature.parentNode?.removeChild(signature)
  }),
  signatureInside: overTree((tree, { random }) => {
    const signature = random.pick(named(tree, 'Signature'))
    tree.pick().appendChild(signature)
  }),
  objectInSignature: overTree((tree, scene) => {
    const signature = scene.random.pick(named(tree, 'Signature'))
    const object = tree.doc.createElementNS(signatureNs, 'ds:Object')
    object.appendChild(evilCopy(scene.random.pick(named(tree, 'Assertion')), scene))
    signature.appendChild(object)
  }),
  rename: overTree(({ doc, pick }, { random }) => {
    const what = pick()
    const name = random.pick(['Assertion', 'Response', 'EncryptedAssertion', 'NameID', 'Issuer'])
    const renamed = doc.createElementNS(what.namespaceURI, `${what.prefix ?? 'saml'}:${name}`)
    for (const child of Array.from(what.childNodes)) renamed.appendChild(child)
    what.parentNode?.replaceChild(renamed, what)
  }),
  unsignedAround: overTree(({ doc }, { random }) => {
    const root = doc.documentElement
    const more = doc.createElementNS(protocolNs, 'samlp:Extensions')
    more.appendChild(doc.createTextNode(random.hex(8)))
    root.insertBefore(more, root.firstChild)
    root.setAttribute('Consent', `urn:${random.hex(4)}`)
  }),
  destination: overTree(({ doc }, { random }) => {
    const root = doc.documentElement
    if (random.chance(0.5)) root.removeAttribute('Destination')
    else root.setAttribute('Destination', `${root.getAttribute('Destination')}/`)
  }),
}
