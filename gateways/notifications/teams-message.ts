import { cutText } from '../../domain/notifications/bound-detail.ts'
import { oneLine } from '../mail/letter.ts'
import { leftOut, type HttpMessage, type Message } from './message.ts'

/** Teams refuses a message of more than 28 KB. */
const mostBytesOfLines = 16_384

/**
 * A message for a workflow of Teams: an Adaptive Card. Its texts are text runs, which unlike text blocks know no
 * Markdown, so a name from a bill cannot become a link.
 */
export function teamsMessage({ title, lines, url, organization }: Message): HttpMessage {
  const { fitting, missing } = fit(lines)
  const card = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      paragraph(title, { weight: 'Bolder', size: 'Medium' }),
      ...fitting,
      ...(missing > 0 ? [paragraph(`${leftOut(missing)}.`, { isSubtle: true })] : []),
      paragraph(organization.name, { isSubtle: true }),
    ],
    actions: [{ type: 'Action.OpenUrl', title: 'Open in the console', url }],
  }
  const attachment = {
    contentType: 'application/vnd.microsoft.card.adaptive',
    contentUrl: null,
    content: card,
  }
  return {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'message', attachments: [attachment] }),
  }
}

/** Counted as JSON, in which a quote or a backslash is two bytes. */
function fit(lines: readonly string[]) {
  let bytes = 0
  const fitting = lines
    .map((line) => paragraph(line))
    .filter((one) => {
      const added = Buffer.byteLength(JSON.stringify(one)) + 1
      if (bytes + added > mostBytesOfLines) return false
      bytes += added
      return true
    })
  return { fitting, missing: lines.length - fitting.length }
}

const paragraph = (text: string, style: Record<string, unknown> = {}) => ({
  type: 'RichTextBlock',
  inlines: [{ type: 'TextRun', text: cutText(oneLine(text), 1_000), ...style }],
})
