import { randomBytes } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { createTextMasker } from '../../../gateways/masking/mask-texts.ts'

const masker = createTextMasker()
afterAll(async () => masker.close())

const many = (count: number, bytes = 300) =>
  Array.from({ length: count }, () => randomBytes(bytes).toString('hex'))
const owner = (key: string, organizationId = 1) => ({ organizationId, key })

/** How often the event loop turned until `work` was done. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0
  let isDone = false
  void work.finally(() => (isDone = true))
  while (!isDone) {
    await turn()
    turns += 1
  }
  return turns
}

describe('texts are masked', () => {
  test('by few secrets', async () => {
    const mask = masker.by(['hunter2hunter2'], owner('few'))
    expect(await mask(['a hunter2hunter2 b', 'c'], 100)).toEqual(['a [masked] b', 'c'])
  })

  test('by many secrets in a thread, while the event loop turns', async () => {
    const secrets = many(200)
    const mask = masker.by(secrets, owner('many'))
    const masking = mask([`a ${secrets[0]} b`, `c ${secrets[199]}`, 'd'], 2_000)
    // In this thread it would be done before the first turn.
    expect(await turnsDuring(masking)).toBeGreaterThan(10)
    expect(await masking).toEqual(['a [masked] b', 'c [masked]', 'd'])
  })

  test('by the secrets of an organization, also where another one names its own alike', async () => {
    const [ours, theirs] = [many(20), many(20)]
    await masker.by(theirs, owner('same', 2))(['a'], 10)
    const masked = await masker.by(ours, owner('same', 3))([`a ${ours[0]}`], 2_000)
    expect(masked).toEqual(['a [masked]'])
  })

  test('lists of secrets that do not fit together take turns', async () => {
    const lists = [many(3, 200_000), many(3, 200_000)]
    for (const [at, secrets] of [...lists, ...lists].entries()) {
      const mask = masker.by(secrets, owner(`large ${at % 2}`))
      expect(await mask([`x ${secrets[1]} y`], 1_000_000)).toEqual(['x [masked] y'])
    }
  })

  test('an organization that asks too often is told, and another one has its turn', async () => {
    const mask = masker.by(many(20), owner('greedy', 7))
    const asked = Array.from({ length: 30 }, async () => mask(['a'], 10))
    const other = masker.by(many(20), owner('other', 8))(['b'], 10)
    const ends = await Promise.allSettled(asked)
    expect(await other).toEqual(['b'])
    const refused = ends.filter(({ status }) => status === 'rejected')
    expect(refused).toHaveLength(9)
    expect(refused[0]).toMatchObject({ reason: { fault: 'unavailable', code: 'busy' } })
  })
})
