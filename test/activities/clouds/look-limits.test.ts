import { MockActivityEnvironment } from '@temporalio/testing'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { endSync } from '../../../activities/clouds/end-sync.ts'
import { listPlaces } from '../../../activities/clouds/list-places.ts'
import { lookAtPlace } from '../../../activities/clouds/look-at-place.ts'
import { mergePlace } from '../../../activities/clouds/merge-place.ts'
import { found, type ListedCloud } from '../../harness/clouds/listed-cloud.ts'
import { syncSteps, type SyncSteps } from '../../harness/clouds/sync-steps.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'

let harness: Harness
let steps: SyncSteps
let cloud: ListedCloud
let input: { organizationId: number; syncId: number }
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())
beforeEach(async () => {
  steps = await syncSteps(harness)
  ;({ cloud } = steps)
  input = await steps.begin()
})

const ofSync = (table: string, key = 'syncId') =>
  harness.deps.store.platform(table).where({ [key]: input.syncId })

test('a look ends after a minute, and the next one goes on at its page', async () => {
  cloud.regions = { r: Array.from({ length: 8 }, (_, n) => found(`n${n}`)) }
  const { placeIds } = await steps.deliver(listPlaces, input)
  const at = { ...input, placeId: placeIds[0] ?? 0 }
  const now = Date.now.bind(Date)
  let passedMs = 0
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + passedMs)
  onTestFinished(() => clock.mockRestore())
  cloud.beforePage = async (_, page) => {
    if (page === 1) passedMs = 61_000
  }
  expect(await steps.deliver(lookAtPlace, at)).toBe('more')
  expect(cloud.asked).toEqual(['r 0', 'r 1'])
  expect(await steps.deliver(lookAtPlace, at)).toBe('done')
  expect(cloud.asked).toEqual(['r 0', 'r 1', 'r 2', 'r 3'])
  expect(await steps.deliver(lookAtPlace, at)).toBe('done')
  await steps.deliver(mergePlace, at)
  await steps.deliver(endSync, input)
  expect(await ofSync('cloud_syncs', 'id')).toMatchObject([
    { state: 'succeeded', seen: 8, added: 8 },
  ])
})

test('a page that has not come after three minutes: the place failed and says so, whatever the client does', async () => {
  cloud.regions = { r: [found('a')] }
  const { placeIds } = await steps.deliver(listPlaces, input)
  const at = { ...input, placeId: placeIds[0] ?? 0 }
  // A client of a cloud that looks at no signal.
  cloud.beforePage = async () => new Promise<never>(() => undefined)
  const over = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => AbortSignal.abort())
  onTestFinished(() => over.mockRestore())
  expect(await steps.deliver(lookAtPlace, at)).toBe('done')
  expect(over).toHaveBeenCalledExactlyOnceWith(180_000)
  expect(await ofSync('cloud_sync_places')).toMatchObject([
    { state: 'failed', reason: 'The cloud did not answer in time.' },
  ])
})

test('a worker that stops while a page is on its way: another attempt looks at the place', async () => {
  cloud.regions = { r: [found('a')] }
  const { placeIds } = await steps.deliver(listPlaces, input)
  const at = { ...input, placeId: placeIds[0] ?? 0 }
  const environment = new MockActivityEnvironment()
  cloud.beforePage = async () => {
    environment.cancel('WORKER_SHUTDOWN')
    return new Promise<never>(() => undefined)
  }
  const { store } = harness.deps
  const look = environment.run(lookAtPlace({ store, openCloud: async () => cloud }), at)
  await expect(look).rejects.toMatchObject({ fault: 'unavailable', code: 'cloud_interrupted' })
  expect(await ofSync('cloud_sync_places')).toMatchObject([{ state: 'waiting', reason: null }])
  cloud.beforePage = async () => undefined
  expect(await steps.deliver(lookAtPlace, at)).toBe('done')
})

test('more than 2,000,000 staged resources: the place failed and says so', async () => {
  cloud.regions = { one: ['a', 'b', 'c'].map((name) => found(name)), two: [found('d')], three: [] }
  const [one = 0, three = 0, two = 0] = (await steps.deliver(listPlaces, input)).placeIds
  const { organizationId, syncId } = input
  const staged = { number: 0, nextCursor: 'next', listed: [], resources: 1_999_998 }
  await ofSync('cloud_resource_pages').insert({
    organizationId,
    syncId,
    placeId: three,
    ...staged,
  })
  expect(await steps.deliver(lookAtPlace, { ...input, placeId: one })).toBe('done')
  expect(await ofSync('cloud_sync_places').where({ placeId: one })).toMatchObject([
    { state: 'failed', reason: expect.stringContaining('2,000,000'), seen: 0 },
  ])
  expect(await steps.deliver(lookAtPlace, { ...input, placeId: two })).toBe('done')
  for (const placeId of [one, two]) await steps.deliver(mergePlace, { ...input, placeId })
  await steps.deliver(endSync, input)
  expect(await ofSync('cloud_syncs', 'id')).toMatchObject([{ state: 'partial', seen: 1 }])
})
