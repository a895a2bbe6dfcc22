import { expect, test } from 'vitest'
import { reasonOfPlaces, stateOfSync } from './sync-state.ts'

const place = (state: 'ok' | 'excluded' | 'denied' | 'failed', region = 'eu-west-1') => ({
  region,
  service: '',
  state,
  reason: state === 'failed' ? 'The cloud does not answer.' : null,
})

test('a place that is off, or denied by a service control policy, degrades nothing', () => {
  expect(stateOfSync([place('ok'), place('excluded')])).toBe('succeeded')
  expect(stateOfSync([place('excluded')])).toBe('succeeded')
  expect(reasonOfPlaces([place('ok'), place('excluded')])).toBeNull()
})

test('some places short: partial; no place looked at: failed', () => {
  expect(stateOfSync([place('ok'), place('denied')])).toBe('partial')
  expect(stateOfSync([place('failed'), place('denied'), place('excluded')])).toBe('failed')
})

test('the reason names the places', () => {
  const all = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((region) => place('failed', region))
  expect(reasonOfPlaces(all)).toBe(
    'a, b, c, d, e and 2 more could not be looked at: The cloud does not answer',
  )
})
