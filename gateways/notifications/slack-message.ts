import { cutText } from '../../domain/notifications/bound-detail.ts'
import { oneLine } from '../mail/letter.ts'
import { leftOut, type HttpMessage, type Message } from './message.ts'

/** Slack refuses a block of text with more than 3,000 characters. */
const longestBlock = 3_000
const longestLine = 500

/**
 * A message for an incoming webhook of Slack: blocks, and `text` for the notification. Slack reads `&`, `<` and
 * `>` as its own (`<!channel>` would alert everybody, `<url|text>` is a link), so each text is escaped.
 */
export function slackMessage({ title, lines, url, organization }: Message): HttpMessage {
  const head = `*${written(title)}*`
  const link = `<${escape(url)}|Open in the console>`
  const { text, missing } = fit(head, lines.map(written))
  const context = [written(organization.name), ...(missing > 0 ? [leftOut(missing)] : []), link]
  const blocks = [
    { type: 'section', text: mrkdwn(text) },
    { type: 'context', elements: [mrkdwn(context.join(' · '))] },
  ]
  return {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ text: written(title), blocks }),
  }
}

/** Whole lines, as many as a block takes: a cut could leave half of an escaped character. */
function fit(head: string, lines: readonly string[]) {
  let text = head
  const fitting = lines.filter((line) => {
    if (text.length + line.length + 1 > longestBlock) return false
    text += `\n${line}`
    return true
  })
  return { text, missing: lines.length - fitting.length }
}

/** `verbatim`: Slack makes no links of its own out of names of channels, people and addresses. */
const mrkdwn = (text: string) => ({ type: 'mrkdwn', text, verbatim: true })

const written = (text: string): string => escape(cutText(oneLine(text), longestLine))

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
