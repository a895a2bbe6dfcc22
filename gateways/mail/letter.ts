/** One part of a mail: a paragraph, a code (a token or a fingerprint) on its own line, or a link. */
export type Part = string | { code: string } | { link: string; label: string }

export type Letter = { subject: string; text: string; html: string }

/**
 * Renders the plain text and the HTML of one mail from the same parts. The HTML escapes every part, because
 * names of people and organizations are untrusted. Each part becomes one line: otherwise an attacker could
 * add paragraphs of their own to our mail with line breaks in a name.
 */
export function letter(subject: string, parts: readonly Part[]): Letter {
  return {
    subject: oneLine(subject).slice(0, maxSubjectLength),
    text: `${parts.map(asText).join('\n\n')}\n`,
    html: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(oneLine(subject))}</title></head>
<body style="font-family:sans-serif;line-height:1.5;max-width:36em">
${parts.map(asHtml).join('\n')}
</body></html>
`,
  }
}

const maxSubjectLength = 200

function asText(part: Part): string {
  if (typeof part === 'string') return oneLine(part)
  return oneLine('code' in part ? part.code : part.link)
}

function asHtml(part: Part): string {
  if (typeof part === 'string') return `<p>${escapeHtml(oneLine(part))}</p>`
  if ('code' in part) return `<p><code>${escapeHtml(oneLine(part.code))}</code></p>`
  return `<p><a href="${escapeHtml(oneLine(part.link))}">${escapeHtml(oneLine(part.label))}</a></p>`
}

/** Some mail clients end a line at each of these control characters and Unicode line breaks. */
// oxlint-disable-next-line no-control-regex -- the pattern matches control characters on purpose
const breaks = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g

export const oneLine = (text: string): string => text.replaceAll(breaks, ' ').trim()

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')
