import { expect, test } from 'vitest'
import { agentChange } from './agent-change.ts'

const was = { name: 'web-1', labels: { role: 'web', zone: 'a' } }

test.each([
  ['nothing', {}, {}],
  ['its name, and no labels that another person saved', { name: ' web-2 ' }, { name: 'web-2' }],
  ['nothing, in lines of another order', { labels: 'zone=a\nrole=web\n' }, {}],
  ['its labels alone', { labels: 'role=db' }, { labels: { role: 'db' } }],
  ['to no labels', { labels: '' }, { labels: {} }],
])('a form changes of an agent %s', (...[, typed, sent]) => {
  const shown = { name: 'web-1', labels: 'role=web\nzone=a' }
  expect(agentChange({ ...shown, ...typed }, was)).toEqual(sent)
})
