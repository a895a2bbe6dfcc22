/** A paragraph; a token or address on a line of its own; a link. */
export type Part = string | { code: string } | { link: string; label: string }

export type Letter = { subject: string; text: string; html: string }

/**
 * Plain text and HTML of one mail, from the same parts. Names of people and organizations are escaped. A
 * part is one line: with a line break in a name, an attacker could write a mail in our name.
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

/** Control characters and Unicode's own line breaks end a line somewhere. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
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
