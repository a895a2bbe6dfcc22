import { describe, expect, test } from 'vitest'
import { keepAnswers } from '../../../api/finops/cost/keep-answers.ts'

/** Of 2 bytes a character, with a key of one. */
const limits = { maxBytes: 400, maxBytesOfOne: 200, maxBytesAnAnswer: 100 }

function keeping() {
  const answers = keepAnswers(limits)
  const made: string[] = []
  const ask = async (organizationId: number, key: string, length = 39) =>
    answers(organizationId, key, async () => {
      made.push(key)
      return key.repeat(length)
    })
  /** Which of them have to be made anew. */
  const gone = async (organizationId: number, keys: string) => {
    made.length = 0
    for (const key of keys) await ask(organizationId, key)
    return made.join('')
  }
  return { ask, gone, made }
}

describe('keepAnswers', () => {
  test('two requests for one answer share its making; a failed one is made anew', async () => {
    const { ask, made } = keeping()
    await Promise.all([ask(1, 'a'), ask(1, 'a')])
    await ask(1, 'a')
    expect(made).toEqual(['a'])
    const answers = keepAnswers(limits)
    const broken = answers(1, 'b', async () => {
      throw new Error('broken')
    })
    await expect(broken).rejects.toThrow('broken')
    expect(await answers(1, 'b', async () => 'whole')).toBe('whole')
  })

  test('an answer that is larger than the most is answered and not kept', async () => {
    const { ask, gone } = keeping()
    expect(await ask(1, 'a', 50)).toHaveLength(50)
    await ask(1, 'b', 49)
    expect(await gone(1, 'ab')).toBe('a')
  })

  test('an organization past its share loses its own least recently used', async () => {
    const { ask, gone } = keeping()
    for (const key of 'xy') await ask(2, key)
    for (const key of 'abacdefghi') await ask(1, key)
    expect(await gone(1, 'hi')).toBe('')
    expect(await gone(1, 'g')).toBe('g')
    expect(await gone(2, 'xy')).toBe('')
  })

  test('past the whole the organization that holds most loses first', async () => {
    const { ask, gone } = keeping()
    await ask(3, 'x')
    for (const key of 'ab') await ask(1, key)
    for (const key of 'cd') await ask(2, key)
    await ask(4, 'e')
    expect(await gone(3, 'x')).toBe('')
    expect(await gone(4, 'e')).toBe('')
    expect(await gone(2, 'cd')).toBe('')
    expect(await gone(1, 'b')).toBe('')
    expect(await gone(1, 'a')).toBe('a')
  })
})
