import { describe, expect, test } from 'vitest'
import type { PlannedResource } from './plan.ts'
import { sentencesOf } from './plan-words.ts'

const resource = (actions: string[], replaceReason?: string): PlannedResource => ({
  address: 'a.b',
  type: 'a',
  name: 'b',
  provider: 'p',
  actions,
  attributes: [],
  omittedAttributes: 0,
  ...(replaceReason !== undefined && { replaceReason }),
})

describe('the words of a change', () => {
  test('a reason of a later OpenTofu shows no code', () => {
    expect(sentencesOf(resource(['delete'], 'delete_because_moon')).join()).not.toContain('_')
  })

  test('what is forgotten is not said to be destroyed', () => {
    expect(sentencesOf(resource(['forget']))).toEqual([
      'It leaves the state and is no longer managed. The object itself is kept.',
    ])
  })

  test('a replacement says which comes first', () => {
    expect(sentencesOf(resource(['create', 'delete']))[0]).toContain('created before')
    expect(sentencesOf(resource(['delete', 'create']))[0]).toContain('destroyed before')
  })
})
