import { DOMParser } from '@xmldom/xmldom'
import { measureXml } from './measure-xml.ts'
import { SamlRefusal } from './saml-refusal.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Characters that XML 1.0 does not allow; a parser that drops them would read another text. */
// oxlint-disable-next-line no-control-regex -- these are what it looks for
const forbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/

/** Decodes octets strictly as UTF-8. */
export function decodeXml(octets: Uint8Array): string {
  try {
    return utf8.decode(octets)
  } catch (error) {
    throw new SamlRefusal('xml_not_utf8', { cause: error })
  }
}

/** XML 1.0's own. The parser would take some letters for line ends too, which a signature covers as they are. */
const normalizeLineEndings = (text: string): string => text.replaceAll(/\r\n?/g, '\n')

/**
 * Parses a document that passed measure-xml.ts, and returns its root. Any warning of the parser refuses it. A thousand
 * elements take some 5 ms.
 */
export function parseXml(text: string, maxElements?: number): Element {
  const refuse = (message: unknown) => {
    throw new SamlRefusal('xml_malformed', { cause: message })
  }
  if (forbidden.test(text)) refuse('a character that XML has not')
  measureXml(text, maxElements)
  assertReferences(text)
  let root: Element | null
  try {
    const errorHandler = { warning: refuse, error: refuse, fatalError: refuse }
    // Named, because the parser's types do not know all of its options.
    const options = { errorHandler, normalizeLineEndings }
    root = new DOMParser(options).parseFromString(text, 'text/xml').documentElement
  } catch (error) {
    if (error instanceof SamlRefusal) throw error
    throw new SamlRefusal('xml_malformed', { cause: error })
  }
  if (!root) throw new SamlRefusal('xml_malformed')
  assertNamespaces(root)
  return root
}

/**
 * The parser accepts undeclared prefixes, reading a name without a namespace, and any text as a
 * namespace. Other parsers refuse both, so they are refused here.
 */
function assertNamespaces(root: Element): void {
  for (const element of [root, ...Array.from(root.getElementsByTagName('*'))])
    for (const named of [element, ...Array.from(element.attributes)])
      if (
        (named.prefix && !named.namespaceURI) ||
        (isDeclaration(named) && noUri.test(named.value))
      )
        throw new SamlRefusal('xml_malformed')
}

const isDeclaration = (named: Element | Attr): named is Attr =>
  named.nodeType === 2 && /^xmlns(:|$)/.test(named.nodeName)
const noUri = /[\s<>"{}|\\^`]/

const reference = /&#(?:x([0-9a-f]+)|([0-9]+));/gi

/** A reference to a character that XML does not allow is refused like the character (XML 1.0, 4.1). */
function assertReferences(text: string): void {
  for (const [, hexadecimal, decimal] of text.matchAll(reference)) {
    const code = hexadecimal ? parseInt(hexadecimal, 16) : Number(decimal)
    const isSurrogate = code >= 0xd800 && code <= 0xdfff
    if (code > 0x10ffff || isSurrogate || forbidden.test(String.fromCodePoint(code)))
      throw new SamlRefusal('xml_malformed')
  }
}
