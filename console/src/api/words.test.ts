import { describe, expect, test } from 'vitest'
import type { BlockedBy } from './types.ts'
import { blockedWords } from './words.ts'

describe('a run that nobody may approve', () => {
  const blockedBy = { kind: 'approval', whoCanAct: [] as string[] } as BlockedBy

  test('says that a person whom an author invites now cannot approve it, and what works', () => {
    const words = blockedWords(blockedBy)
    expect(words).toContain('A person whom one of its authors invites now cannot approve it either')
    expect(words).toContain('somebody who is not among its authors invites')
    expect(words).toContain('make a new workspace after they have joined')
    expect(words).toContain('role Deployer or higher')
  })

  test('says nothing of it where somebody may, or where a confirmation is enough', () => {
    const ada = { ...blockedBy, whoCanAct: ['Ada'] }
    expect(blockedWords(ada)).toBe('It waits for a second operator. Ada can approve it.')
    expect(blockedWords(blockedBy, 'confirm')).not.toContain('invite')
  })
})
