const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '\r': '&#13;',
  '\n': '&#10;',
  '\t': '&#9;',
}

/** For text and for quoted attributes, of XML and of HTML: white space survives a parser's normalization. */
export const escapeXml = (text: string): string =>
  text.replace(/[&<>"'\r\n\t]/g, (character) => entities[character] ?? character)
