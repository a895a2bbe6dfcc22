import { describe, expect, test } from 'vitest'
import { countStates, foundAgents, shortDigest } from './agent-words.ts'

const agent = (name: string, state: 'online' | 'offline' | 'paused', labels = {}) => ({
  name,
  state,
  labels,
})
const agents = [
  agent('web-10', 'online', { role: 'web' }),
  agent('web-9', 'online', { role: 'web' }),
  agent('z-1', 'offline', { role: 'db' }),
  agent('web-2', 'paused'),
]
const named = (found: ReadonlyArray<{ name: string }>) => found.map(({ name }) => name)

describe('the agents of a workspace', () => {
  test('are listed with trouble first, then by name as people count', () => {
    expect(named(foundAgents(agents, { q: '', state: undefined }))).toEqual([
      'z-1',
      'web-2',
      'web-9',
      'web-10',
    ])
  })

  test('are found by name, by label and by state', () => {
    expect(named(foundAgents(agents, { q: 'WEB-1', state: undefined }))).toEqual(['web-10'])
    expect(named(foundAgents(agents, { q: 'role=web', state: undefined }))).toEqual([
      'web-9',
      'web-10',
    ])
    expect(named(foundAgents(agents, { q: '', state: 'paused' }))).toEqual(['web-2'])
    expect(foundAgents(agents, { q: 'role=db', state: 'online' })).toEqual([])
  })

  test('are counted by state, and states of none are left out', () => {
    expect(countStates(agents)).toEqual([
      ['offline', 1],
      ['paused', 1],
      ['online', 2],
    ])
  })

  test('keep the chosen state among those that are offered, also once no host is in it', () => {
    const online = agents.filter(({ state }) => state === 'online')
    expect(countStates(online, 'offline')).toEqual([
      ['offline', 0],
      ['online', 2],
    ])
    expect(countStates(online, 'online')).toEqual([['online', 2]])
  })

  test('show the beginning of a digest', () => {
    expect(shortDigest(`sha256:${'0123456789abcdef'.repeat(4)}`)).toBe('0123456789ab')
  })
})
