import { expect, test } from 'vitest'
import type { Outbound } from '../../../gateways/outbound/outbound.ts'
import { createPace, pacedOutbound } from '../../../gateways/outbound/paced-outbound.ts'

function clocked() {
  let nowMs = 0
  const waits: number[] = []
  const clock = {
    nowMs: () => nowMs,
    sleep: async (ms: number) => {
      waits.push(ms)
      nowMs += ms
    },
  }
  return { clock, waits, pass: (ms: number) => (nowMs += ms) }
}
const limits = { bytesPerSecond: 1_000, burstBytes: 2_000 }

test('a burst passes at once; what is more waits until it is paid for', async () => {
  const { clock, waits, pass } = clocked()
  const pace = createPace(limits, clock)
  for (const bytes of [1_000, 1_000, 500, 1_000]) await pace(bytes)
  expect(waits).toEqual([500, 1_000])
  // Time that passes without answers pays for a burst, and for no more than one.
  pass(60_000)
  for (const bytes of [2_000, 100]) await pace(bytes)
  expect(waits).toEqual([500, 1_000, 100])
})

test('answers that come at once share the pace, also over kept connections', async () => {
  const { clock, waits } = clocked()
  const answer = { status: 200, headers: {}, body: Buffer.alloc(3_000) }
  const plain: Pick<Outbound, 'request' | 'keep'> = {
    request: async () => answer,
    keep: () => ({ ...(plain as Outbound), close: () => undefined }),
  }
  const outbound = pacedOutbound(plain as Outbound, createPace(limits, clock))
  const kept = outbound.keep()
  expect(await outbound.request('http://cloud', { use: 'cloud' })).toBe(answer)
  await kept.request('http://cloud', { use: 'cloud' })
  expect(waits).toEqual([1_000, 3_000])
})
