import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { inParts } from '../../../api/git/in-parts.ts'

const kibibyte = 1_024

/** How many bytes are worked through in each turn of the event loop. */
const bytesOfTurns = async (body: readonly Buffer[]) => {
  const turns: number[] = [0]
  let isOver = false
  const others = (async () => {
    for (; !isOver; turns.push(0)) await turn()
  })()
  const parts: Buffer[] = []
  await inParts(body, (part) => {
    parts.push(part)
    turns.push((turns.pop() ?? 0) + part.length)
  })
  isOver = true
  await others
  expect(Buffer.concat(parts).equals(Buffer.concat([...body]))).toBe(true)
  return turns.filter((bytes) => bytes > 0)
}

test('no turn has more than 512 KiB, in pieces of any length', async () => {
  const bytes = (length: number, value = 1) => Buffer.alloc(length, value)
  const bodies = [
    [bytes(3 * 1_024 * kibibyte + 1)],
    Array.from({ length: 50 }, (_, n) => bytes(64 * kibibyte, n)),
    [bytes(1), bytes(700 * kibibyte, 2), bytes(400 * kibibyte, 3)],
  ]
  for (const body of bodies) {
    const turns = await bytesOfTurns(body)
    expect(turns.length).toBeGreaterThan(1)
    expect(Math.max(...turns)).toBeLessThanOrEqual(512 * kibibyte)
  }
  expect(await bytesOfTurns([bytes(9), bytes(7)])).toEqual([16])
  expect(await bytesOfTurns([])).toEqual([])
})
