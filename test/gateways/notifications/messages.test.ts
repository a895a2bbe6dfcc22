import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import type { Message } from '../../../gateways/notifications/message.ts'
import { slackMessage } from '../../../gateways/notifications/slack-message.ts'
import { teamsMessage } from '../../../gateways/notifications/teams-message.ts'
import { webhookMessage } from '../../../gateways/notifications/webhook-message.ts'

const message: Message = {
  id: 'msg_1',
  event: 'anomaly.opened',
  createdAt: new Date('2026-11-01T00:00:00Z'),
  organization: { id: 1, slug: 'org', name: 'Org & <!here>' },
  subject: { kind: 'anomaly', id: '1', label: 'aws EC2' },
  severity: 'high',
  title: 'EC2 <@U012AB3CD> & <https://evil.example|click> 😀\r\nx',
  lines: ['<b>&amp;</b>'],
  url: 'https://cc.example/cost?a=1&b=2',
  detail: {},
}
const slack = (about: Partial<Message> = {}) => {
  const { blocks, text } = JSON.parse(slackMessage({ ...message, ...about }).body)
  return { text, section: blocks[0].text.text, context: blocks[1].elements[0].text }
}

describe('Slack', () => {
  test('each text is escaped, and the only link is to the console', () => {
    expect(slack()).toEqual({
      text: 'EC2 &lt;@U012AB3CD&gt; &amp; &lt;https://evil.example|click&gt; 😀 x',
      section:
        '*EC2 &lt;@U012AB3CD&gt; &amp; &lt;https://evil.example|click&gt; 😀 x*\n&lt;b&gt;&amp;amp;&lt;/b&gt;',
      context:
        'Org &amp; &lt;!here&gt; · <https://cc.example/cost?a=1&amp;b=2|Open in the console>',
    })
  })

  test('long texts fit in a block, which ends with a whole line', () => {
    const { section, text } = slack({
      title: '&'.repeat(5_000),
      lines: Array.from({ length: 20 }, () => '<'.repeat(100)),
    })
    expect(section.length).toBeLessThanOrEqual(3_000)
    expect(section).toMatch(/^\*(&amp;)+…\*(\n(&lt;)+)+$/)
    expect(text.length).toBeLessThanOrEqual(3_000)
  })

  test('a line that does not fit drops no later one, and the number of those left out is told', () => {
    const { section, context } = slack({
      title: '&'.repeat(400),
      lines: ['<'.repeat(400), 'short', '>'.repeat(400), 'last'],
    })
    expect(section).toMatch(/\nshort\nlast$/)
    expect(context).toContain(' · 2 lines were left out · ')
    expect(slack().context).not.toContain('left out')
  })
})

describe('Teams', () => {
  test('no text is read as Markdown, and a message stays under 28 KB', () => {
    const { body } = teamsMessage({
      ...message,
      title: '[click](https://evil.example) **x**',
      lines: Array.from({ length: 20 }, () => '😀'.repeat(2_000)),
    })
    expect(Buffer.byteLength(body)).toBeLessThan(28_000)
    const { content } = JSON.parse(body).attachments[0]
    expect(content.body.map(({ type }: { type: string }) => type)).not.toContain('TextBlock')
    expect(content.body[0].inlines[0]).toMatchObject({
      type: 'TextRun',
      text: '[click](https://evil.example) **x**',
    })
    expect(content.actions[0].url).toBe(message.url)
  })

  test('what JSON escapes is counted, and the number of lines that are left out is told', () => {
    const lines = [...Array.from({ length: 20 }, () => '"\\'.repeat(500)), 'last']
    const { body } = teamsMessage({ ...message, title: '"'.repeat(5_000), lines })
    expect(Buffer.byteLength(body)).toBeLessThan(28_000)
    const { content } = JSON.parse(body).attachments[0]
    const texts = content.body.map(
      ({ inlines }: { inlines: Array<{ text: string }> }) => inlines[0]?.text,
    )
    expect(texts).toContain('last')
    const shown = lines.filter((line) => texts.includes(line)).length
    expect(texts).toContain(`${lines.length - (texts.length - 3)} lines were left out.`)
    expect(shown).toBeGreaterThan(1)
    expect(teamsMessage(message).body).not.toContain('left out')
  })
})

describe('Standard Webhooks', () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

  test('the library verifies it; another body, id, time or key fails', () => {
    const { headers, body } = webhookMessage(message, [secret], new Date())
    const key = new Webhook(secret)
    expect(key.verify(body, headers)).toMatchObject({ type: 'anomaly.opened' })
    expect(() => key.verify(`${body}\n`, headers)).toThrow()
    expect(() => key.verify(body, { ...headers, 'webhook-id': 'msg_2' })).toThrow()
    const time = String(Number(headers['webhook-timestamp']) - 1)
    expect(() => key.verify(body, { ...headers, 'webhook-timestamp': time })).toThrow()
    const other = new Webhook(Buffer.alloc(32, 8).toString('base64'))
    expect(() => other.verify(body, headers)).toThrow()
  })

  test('while a key is replaced, the old one and the new one verify it', () => {
    const old = `whsec_${Buffer.alloc(32, 8).toString('base64')}`
    const { headers, body } = webhookMessage(message, [secret, old], new Date())
    expect(headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/)
    for (const key of [secret, old]) new Webhook(key).verify(body, headers)
    const other = new Webhook(Buffer.alloc(32, 9).toString('base64'))
    expect(() => other.verify(body, headers)).toThrow()
  })

  test('a message of ten minutes ago is refused as a replay', () => {
    const old = new Date(Date.now() - 600_000)
    const { headers, body } = webhookMessage(message, [secret], old)
    expect(() => new Webhook(secret).verify(body, headers)).toThrow('too old')
  })
})
