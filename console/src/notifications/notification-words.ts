import { lowestRoleWith } from '../api/roles.ts'
import type { Capability } from '../api/types.ts'
import { scopeWords } from '../cost/cost-words.ts'
import type { Channel, ChannelKind, Tried } from './queries.ts'

export const kindWords: Record<ChannelKind, { word: string; urlHint: string }> = {
  email: { word: 'Email', urlHint: '' },
  slack: { word: 'Slack', urlHint: 'The address of an incoming webhook of Slack.' },
  teams: {
    word: 'Teams',
    urlHint:
      'The address of a Teams workflow that begins with “When a Teams webhook request is received”.',
  },
  webhook: {
    word: 'Webhook',
    urlHint:
      'An https address. Each message is a POST, signed as Standard Webhooks say. The secret of the signatures is shown once.',
  },
}

/** What there is to be told of, in the order of the form. */
export const eventWords: ReadonlyArray<{ event: string; words: string }> = [
  { event: 'anomaly.opened', words: 'A new anomaly' },
  { event: 'anomaly.grown', words: 'An anomaly has doubled since it was reported' },
  { event: 'budget.warn', words: 'A budget is close to its amount' },
  { event: 'budget.exceeded', words: 'A budget is exceeded' },
  { event: 'ingest.failed', words: 'A bill could not be loaded' },
  { event: 'ingest.late', words: 'A bill is late' },
  { event: 'slice.suspect', words: 'A bill is much smaller than before and waits for a decision' },
  { event: 'account.degraded', words: 'A cloud account stopped working' },
  { event: 'account.recovered', words: 'A cloud account works again' },
  { event: 'commitment.unused', words: 'A commitment is not fully used' },
]

/** As the API matches them: `*` stands for any characters. */
export function isTold(patterns: readonly string[], event: string): boolean {
  return patterns.some((pattern) => {
    // Stars in a row are one: a match of many would try each split of the text among them.
    const pieces = pattern.split(/\*+/).map((piece) => piece.replaceAll('.', '\\.'))
    return new RegExp(`^${pieces.join('.*')}$`).test(event)
  })
}

/** What a channel is told of, in a few words. */
export function eventsInWords({ events }: Pick<Channel, 'events'>): string {
  if (events.includes('*')) return 'Everything'
  const told = eventWords.filter(({ event }) => isTold(events, event))
  if (told.length === eventWords.length) return 'Everything'
  const [first] = told
  if (!first) return events.join(', ')
  return told.length <= 2
    ? told.map(({ words }) => words).join(', ')
    : `${first.words}, and ${told.length - 1} others`
}

export function scopeInWords({ scopeKind, scopeValue }: Channel): string | undefined {
  if (scopeKind === null || scopeKind === 'all') return undefined
  return `${scopeWords[scopeKind].word}: ${scopeValue}`
}

/** Those who have a capability. */
export const rolesInWords = (capability: Capability): string =>
  capability === 'read'
    ? 'everybody'
    : `everybody with the role ${lowestRoleWith(capability)}${capability === 'manage_billing_transfer' ? '' : ' or higher'}`

/** Where its messages go. */
export function targetInWords({ kind, url, recipients }: Channel): string {
  if (kind !== 'email' || !recipients) return url ?? ''
  const { userIds, capability, owners } = recipients
  const words = [
    userIds.length > 0 && (userIds.length === 1 ? '1 person' : `${userIds.length} people`),
    capability !== null && rolesInWords(capability),
    owners && 'authors of the runs that are named',
  ]
  return words.filter(Boolean).join(', ')
}

export function stateWords({ enabled, state }: Channel): {
  tone: string
  sign: string
  word: string
} {
  if (!enabled) return { tone: 'quiet', sign: '–', word: 'Paused' }
  if (state === 'failing') return { tone: 'bad', sign: '✗', word: 'Failing' }
  if (state === 'working') return { tone: 'good', sign: '✓', word: 'Working' }
  return { tone: 'quiet', sign: '○', word: 'Nothing sent yet' }
}

/** What became of a test message. */
export function triedWords({ state, status, error, recipients }: Tried): {
  tone: 'good' | 'bad' | 'quiet'
  words: string
} {
  if (recipients !== null)
    return recipients === 0
      ? { tone: 'bad', words: 'It reaches nobody, so no mail was sent.' }
      : {
          tone: 'good',
          words: `A test mail is on its way to ${recipients === 1 ? '1 person' : `${recipients} people`}.`,
        }
  if (state === 'sent')
    return { tone: 'good', words: `The test message was accepted, with the status ${status}.` }
  if (state === 'failed') return { tone: 'bad', words: `The test message failed. ${error ?? ''}` }
  return {
    tone: 'quiet',
    words: 'The receiver has not answered yet. The test message is tried again by itself.',
  }
}
