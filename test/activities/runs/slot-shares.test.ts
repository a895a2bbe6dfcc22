import { expect, test } from 'vitest'
import { createSlotShares } from '../../../activities/runs/slot-shares.ts'

const shares = () => {
  const woken: number[] = []
  const options = { slots: 2, hasOthers: async () => true }
  return {
    woken,
    ...createSlotShares({ ...options, wake: ({ id }) => woken.push(id) }),
  }
}
const run = (id: number) => ({ organizationId: 1, id })

test('a run that was woken and finds its slot taken is woken first again', async () => {
  const { take, woken } = shares()
  const giveBack = await take(run(1))
  expect(await take(run(2))).toBeUndefined()
  expect(await take(run(3))).toBeUndefined()
  giveBack?.()
  expect(woken).toEqual([2])
  // A newer step is faster than the run that was woken.
  const newer = await take(run(4))
  expect(await take(run(2))).toBeUndefined()
  newer?.()
  expect(woken).toEqual([2, 2])
})

test('a run that waits no more is not woken in place of another', async () => {
  const { take, forget, woken } = shares()
  const giveBack = await take(run(1))
  await take(run(2))
  await take(run(3))
  forget(run(2))
  giveBack?.()
  expect(woken).toEqual([3])
})

test('several that were woken in vain keep their order, before all that wait behind them', async () => {
  const { take, woken } = shares()
  // One of the two slots is the organization’s share, and 1,998 runs wait.
  const first = await take(run(1))
  for (let id = 2; id < 2_000; id += 1) await take(run(id))
  first?.()
  const second = await take(run(5_001))
  second?.()
  const third = await take(run(5_002))
  expect(woken).toEqual([2, 3])
  // Both find the slot taken, and a run in line looks again by itself.
  for (const id of [2, 3, 4, 2]) expect(await take(run(id))).toBeUndefined()
  third?.()
  const fourth = await take(run(5_003))
  fourth?.()
  const fifth = await take(run(5_004))
  fifth?.()
  expect(woken).toEqual([2, 3, 2, 3, 4])
})
