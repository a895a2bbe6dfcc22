import { setImmediate as turnOfLoop } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createBillPlaces } from '../../../activities/finops/bill-places.ts'
import { createDiskRoom } from '../../../activities/finops/disk-room.ts'
import { discoverBills } from '../../../activities/finops/discover-bills.ts'
import { nextSources } from '../../../activities/finops/next-sources.ts'
import { takeBill } from '../../../activities/finops/take-bill.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { eventually } from '../../harness/eventually.ts'
import { BilledCloud } from '../../harness/finops/billed-cloud.ts'
import { focusCsv } from '../../harness/finops/focus-csv.ts'
import { billReading, ingestSteps, type BillReading } from '../../harness/finops/ingest-steps.ts'

const { signal } = new AbortController()

/** Whether the promise is settled once all that is ready has run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false
  const note = () => void (settled = true)
  promise.then(note, note)
  await turnOfLoop()
  return settled
}

describe('the room of the disk', () => {
  test('full: the bill with the most goes on, the others once one has ended', async () => {
    const disk = createDiskRoom(100)
    const [slow, large, third] = [disk.hold('a', 0), disk.hold('b', 0), disk.hold('c', 0)]
    slow.add(1)
    large.add(90)
    await Promise.all([slow, large, third].map(async (held) => held.wait(signal)))
    large.add(50)
    await large.wait(signal)
    const waits = [slow.wait(signal), third.wait(signal)]
    expect(await Promise.all(waits.map(isSettled))).toEqual([false, false])
    large.release()
    await Promise.all(waits)
  })

  test('a slow bill is not what the others wait for, and of two with as much one goes on', async () => {
    const disk = createDiskRoom(100)
    const slow = disk.hold('d', 10)
    const [first, second] = [disk.hold('e', 60), disk.hold('f', 60)]
    await first.wait(signal)
    const waits = [slow.wait(signal), second.wait(signal)]
    expect(await Promise.all(waits.map(isSettled))).toEqual([false, false])
    first.release()
    await Promise.all(waits)
  })

  test('what waits for its next attempt takes room, and is not the one that goes on', async () => {
    const disk = createDiskRoom(100)
    const [first, other] = [disk.hold('one', 0), disk.hold('two', 10)]
    first.add(90)
    first.leave()
    const third = disk.hold('three', 0)
    await other.wait(signal)
    const waits = third.wait(signal)
    expect(await isSettled(waits)).toBe(false)
    // Its next attempt has the files, once.
    const again = disk.hold('one', 90)
    await again.wait(signal)
    expect(await isSettled(waits)).toBe(false)
    again.leave()
    expect(await isSettled(waits)).toBe(false)
    disk.forget('one')
    await waits
  })

  test('a canceled bill waits no longer', async () => {
    const disk = createDiskRoom(100)
    disk.hold('g', 100)
    const canceling = new AbortController()
    const waits = disk.hold('h', 0).wait(canceling.signal)
    canceling.abort(new Error('canceled by the test'))
    await expect(waits).rejects.toThrow('canceled by the test')
    await expect(disk.hold('i', 0).wait(canceling.signal)).rejects.toThrow('canceled by the test')
  })
})

test('a bill that is canceled while it waits for a reader leaves the line', async () => {
  const places = createBillPlaces({ readers: 1, billBytes: 1 })
  const held = Promise.withResolvers<string>()
  const reading = places.read(signal, async () => held.promise)
  const canceling = new AbortController()
  const canceled = places.read(canceling.signal, async () => 'canceled')
  const next = places.read(signal, async () => 'next')
  canceling.abort(new Error('canceled by the test'))
  await expect(canceled).rejects.toThrow('canceled by the test')
  held.resolve('read')
  expect(await Promise.all([reading, next])).toEqual(['read', 'next'])
})

test('a swap that comes last is next, after those that came before it', async () => {
  const places = createBillPlaces({ readers: 1, billBytes: 1 })
  const held = Promise.withResolvers<void>()
  const order: string[] = []
  const as = (name: string) => async () => void order.push(name)
  const all = [
    places.read(signal, async () => held.promise),
    places.read(signal, as('second bill')),
    places.read(signal, as('third bill')),
    places.read(signal, as('first swap'), { first: true }),
    places.read(signal, as('second swap'), { first: true }),
  ]
  held.resolve()
  await Promise.all(all)
  expect(order).toEqual(['first swap', 'second swap', 'second bill', 'third bill'])
})

describe('two bills at one worker', () => {
  let harness: Harness
  let reading: BillReading
  beforeAll(async () => {
    harness = await createHarness()
    reading = await billReading(harness)
  })
  afterAll(async () => {
    await reading?.close()
    await harness?.close()
  })

  test('one is read while the other one is fetched, and never both are read', async () => {
    const steps = await ingestSteps(harness, reading)
    steps.cloud.months = {
      '2026-08': focusCsv('2026-08', [1, 2]),
      '2026-09': focusCsv('2026-09', [3]),
    }
    const input = await steps.begin()
    const { sourceIds, billsAtOnce } = await steps.deliver(nextSources, input)
    expect(billsAtOnce).toBe(1)
    const at = { ...input, sourceId: sourceIds[0] ?? 0 }
    const { sliceIds } = await steps.deliver(discoverBills, at)
    const [first, second] = sliceIds.map((sliceId) => ({ ...at, sliceId }))
    if (!first || !second) throw new Error('There are two months.')

    const storage = Promise.withResolvers<void>()
    const slowCloud = new BilledCloud()
    slowCloud.months = steps.cloud.months
    slowCloud.beforeFetch = async () => storage.promise
    const reader = Promise.withResolvers<void>()
    const events: string[] = []
    const readAs =
      (name: string, gate?: Promise<void>): BillReading['readBills'] =>
      async (request) => {
        events.push(`${name} begins`)
        await gate
        const answer = await reading.readBills(request)
        events.push(`${name} ends`)
        return answer
      }
    const slow = steps.deliver(takeBill, first, {
      openCloud: async () => slowCloud.asCloud(),
      readBills: readAs('slow'),
    })
    const quick = steps.deliver(takeBill, second, { readBills: readAs('quick', reader.promise) })
    await eventually(async () => events.length === 1)
    storage.resolve()
    await eventually(async () => slowCloud.fetched.length === 1)
    await isSettled(slow)
    reader.resolve()
    expect(await quick).toMatchObject({ outcome: 'loaded' })
    expect(await slow).toMatchObject({ outcome: 'loaded' })
    expect(events).toEqual(['quick begins', 'quick ends', 'slow begins', 'slow ends'])
  })
})
