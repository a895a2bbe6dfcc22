import { SamlRefusal } from './saml-refusal.ts'

/** A response with thousands of groups, or the metadata of a provider. */
const mostElements = 20_000
const maxDepth = 64
const maxAttributes = 64

/**
 * Checks markup before any parser sees it, in one forward pass. Refuses document types and entities
 * (expansion, files of the host), processing instructions, and shapes that make a parser or
 * canonicalization recurse deeply or compare thousands of attributes with each other.
 */
export function measureXml(text: string, maxElements = mostElements): void {
  let elements = 0
  const open: string[] = []
  let end = skipDeclaration(text)
  for (let at = text.indexOf('<', end); at >= 0; at = text.indexOf('<', end)) {
    const next = text[at + 1]
    if (open.length === 0) assertBlank(text.slice(end, at))
    if (next === '?') throw new SamlRefusal('xml_processing_instruction')
    if (next === '!') {
      end = skipDeclared(text, at)
    } else if (next === '/') {
      end = after(text, '>', at)
      // The parser would silently close an unclosed element.
      if (text.slice(at + 2, end - 1).trim() !== open.pop()) throw new SamlRefusal('xml_malformed')
    } else {
      const tag = skipTag(text, at)
      elements += 1
      if (!tag.closed) open.push(tag.name)
      if (tag.attributes > maxAttributes) throw new SamlRefusal('xml_too_many_attributes')
      end = tag.end
    }
    if (elements > maxElements) throw new SamlRefusal('xml_too_many_elements')
    if (open.length > maxDepth) throw new SamlRefusal('xml_too_deep')
  }
  if (open.length > 0) throw new SamlRefusal('xml_malformed')
  assertBlank(text.slice(end))
}

/** The parser silently ignores text outside of the root. */
function assertBlank(outside: string): void {
  if (/[^ \t\r\n]/.test(outside)) throw new SamlRefusal('xml_malformed')
}

/** Accepts the XML declaration, for the version and encoding that the text is read in. */
function skipDeclaration(text: string): number {
  // `<?xml-stylesheet` begins like it and is a processing instruction.
  if (!/^<\?xml\s/.test(text)) return 0
  const end = after(text, '?>', 0)
  // XML 1.1 has other line ends and characters, which canonicalization does not cover.
  if (!/^<\?xml\s+version\s*=\s*["']1\.0["']/.test(text)) throw new SamlRefusal('xml_version')
  const declared = /encoding\s*=\s*["']([^"']*)["']/i.exec(text.slice(0, end))?.[1]
  if (declared !== undefined && !/^(utf-8|us-ascii)$/i.test(declared))
    throw new SamlRefusal('xml_encoding')
  // Another parser would read other letters; ours has read UTF-8.
  if (/^us-ascii$/i.test(declared ?? '') && /[^\p{ASCII}]/u.test(text))
    throw new SamlRefusal('xml_encoding')
  return end
}

function skipDeclared(text: string, at: number): number {
  if (text.startsWith('<!--', at)) return after(text, '-->', at + 4)
  if (text.startsWith('<![CDATA[', at)) return after(text, ']]>', at + 9)
  throw new SamlRefusal('xml_doctype')
}

type Tag = { name: string; end: number; closed: boolean; attributes: number }

function skipTag(text: string, at: number): Tag {
  let attributes = 0
  for (let i = at + 1; i < text.length; i += 1) {
    const character = text[i]
    if (character === '"' || character === "'") {
      attributes += 1
      i = after(text, character, i + 1) - 1
    } else if (character === '>') {
      const name = /^[^\s/>]*/.exec(text.slice(at + 1, i + 1))?.[0] ?? ''
      return { name, end: i + 1, closed: text[i - 1] === '/', attributes }
    } else if (character === '<') break
  }
  throw new SamlRefusal('xml_malformed')
}

function after(text: string, what: string, from: number): number {
  const found = text.indexOf(what, from)
  if (found < 0) throw new SamlRefusal('xml_malformed')
  return found + what.length
}
