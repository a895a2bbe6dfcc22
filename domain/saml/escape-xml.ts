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

/** Escapes text and quoted attributes of XML and HTML, white space included, so that normalization keeps it. */
export const escapeXml = (text: string): string =>
  text.replace(/[&<>"'\r\n\t]/g, (character) => entities[character] ?? character)
