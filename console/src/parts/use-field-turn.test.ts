import { expect, test } from 'vitest'
import { nextSeen, textOf } from './use-field-turn.ts'

const service = textOf({ service: 'ec2', state: 'all' })
const none = textOf({})

test('fields stay, with their focus, where the address became what they sent', () => {
  const sent = { address: none, sent: textOf({ state: 'all', service: 'ec2' }), turn: 3 }
  expect(nextSeen(sent, service)).toEqual({ address: service, sent: service, turn: 3 })
})

test('fields are made anew where a link or Back changed the address', () => {
  const shown = { address: service, sent: service, turn: 3 }
  expect(nextSeen(shown, none)).toEqual({ address: none, sent: none, turn: 4 })
})
