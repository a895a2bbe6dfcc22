import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { listPlaces } from '../../../activities/clouds/list-places.ts'
import { lookAtPlace } from '../../../activities/clouds/look-at-place.ts'
import { mergePlace } from '../../../activities/clouds/merge-place.ts'
import type { Place } from '../../../domain/clouds/cloud-account.ts'
import { CloudFault } from '../../../gateways/clouds/cloud-fault.ts'
import { found, type ListedCloud } from '../../harness/clouds/listed-cloud.ts'
import { syncSteps, type SyncSteps } from '../../harness/clouds/sync-steps.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'

let harness: Harness
let steps: SyncSteps
let cloud: ListedCloud
let looked: Place[]
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())
beforeEach(async () => {
  steps = await syncSteps(harness)
  ;({ cloud } = steps)
  looked = []
  const list = cloud.resources.bind(cloud)
  cloud.resources = async (place, cursor) => {
    looked.push(place)
    return list(place, cursor)
  }
})

test('the look at a place is given the coverage that was noted of it', async () => {
  cloud.coverage = 'tagged_only'
  cloud.coverages = { one: 'full' }
  cloud.regions = { one: [], two: [] }
  await steps.sync()
  const place = { service: '', state: 'ok', reason: null }
  expect(looked).toEqual([
    { ...place, region: 'one', coverage: 'full' },
    { ...place, region: 'two', coverage: 'tagged_only' },
  ])
})

test('and the roles, by which it notices that one was taken', async () => {
  const readable = [
    { allowed: ['Microsoft.Compute/*/read', '*'], denied: [String.raw`a_b\%c/d%/read`] },
    { allowed: ['x/y/read'], denied: [] },
  ]
  Object.assign(cloud, { coverage: 'partial', readable, regions: { '': [] } })
  await steps.sync()
  // They are compared without regard to case, and stored so.
  const lower = JSON.parse(JSON.stringify(readable).toLowerCase())
  expect(looked).toMatchObject([{ coverage: 'partial', readable: lower }])
})

test('what lists the place changed during the sync: it failed, and nothing in it is gone', async () => {
  cloud.coverage = 'full'
  cloud.regions = { one: [found('a'), found('b'), found('c')] }
  await steps.sync()
  cloud.regions = { one: [] }
  const input = await steps.begin()
  const [placeId = 0] = (await steps.deliver(listPlaces, input)).placeIds
  cloud.beforePage = async () => {
    throw new CloudFault('changed', 'What lists it changed.')
  }
  const at = { ...input, placeId }
  expect(await steps.deliver(lookAtPlace, at)).toBe('done')
  await steps.deliver(mergePlace, at)
  expect(await steps.shown(input.syncId)).toMatchObject({
    gone: 0,
    places: [{ region: 'one', state: 'failed', reason: 'What lists it changed.' }],
  })
  expect(await steps.states()).toEqual({ a: 'present', b: 'present', c: 'present' })
})
