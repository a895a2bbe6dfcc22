import { expect, test } from 'vitest'
import type { PlannedResource } from '../../../console/src/infrastructure/plan.ts'
import { outcomeWords } from '../../../console/src/runs/outcome-words.ts'

const resource = (
  actions: string[],
  outcome?: NonNullable<PlannedResource['outcome']>,
): PlannedResource => ({
  address: 'a.b',
  type: 'a',
  name: 'b',
  provider: 'p',
  actions,
  attributes: [],
  omittedAttributes: 0,
  ...(outcome && { outcome }),
})
const apply = (state: 'pending' | 'running' | 'succeeded' | 'failed' | 'canceled') => [
  { name: 'apply', state },
]

test.each([
  [['create'], 0, 'created in under 1 s'],
  [['update'], 12, 'changed in 12 s'],
  [['delete', 'create'], 61, 'replaced in 1 min 1 s'],
  [['delete'], 3_600, 'destroyed in 60 min 0 s'],
] as const)('%j in %i s', (actions, seconds, words) => {
  const done = resource([...actions], { result: 'done', seconds })
  expect(outcomeWords(done, apply('succeeded'))?.words).toBe(words)
})

test('a failure says when it failed', () => {
  const failed = resource(['create'], { result: 'failed', seconds: 3 })
  expect(outcomeWords(failed, apply('failed'))).toMatchObject({
    tone: 'bad-text',
    words: 'failed after 3 s',
  })
})

test('what the log does not name is not called done', () => {
  expect(outcomeWords(resource(['create']), apply('failed'))?.words).toBe('no outcome in the log')
  for (const state of ['pending', 'running', 'succeeded'] as const)
    expect(outcomeWords(resource(['create']), apply(state))).toBeUndefined()
  expect(outcomeWords(resource(['read']), apply('failed'))).toBeUndefined()
})
