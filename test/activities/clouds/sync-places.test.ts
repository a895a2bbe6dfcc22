import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { listPlaces } from '../../../activities/clouds/list-places.ts'
import { lookAtPlace } from '../../../activities/clouds/look-at-place.ts'
import { found, type ListedCloud } from '../../harness/clouds/listed-cloud.ts'
import { syncSteps, type SyncSteps } from '../../harness/clouds/sync-steps.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'

let harness: Harness
let steps: SyncSteps
let cloud: ListedCloud
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())
beforeEach(async () => {
  steps = await syncSteps(harness)
  ;({ cloud } = steps)
})

describe('a place that was listed in full and now only by its tags', () => {
  const tagged = (name: string) => found(name, { tags: { env: 'x' } })
  const before = { one: [found('bare'), tagged('a'), tagged('b')], two: [found('other')] }

  test('its untagged resources are not gone, until it is listed in full again', async () => {
    cloud.coverage = 'full'
    cloud.regions = before
    await steps.sync()
    cloud.coverage = 'tagged_only'
    cloud.regions = { one: [tagged('a')], two: [] }
    expect(await steps.sync()).toMatchObject({ coverage: 'tagged_only', seen: 3, gone: 1 })
    // Nor by the second such look.
    expect(await steps.sync()).toMatchObject({ gone: 0 })
    expect(await steps.states()).toEqual({
      a: 'present',
      b: 'gone',
      bare: 'present',
      other: 'present',
    })
    cloud.coverage = 'full'
    expect(await steps.sync()).toMatchObject({ gone: 2 })
  })

  test('each place counts by itself: in one account some can be listed in full', async () => {
    cloud.coverages = { one: 'full' }
    cloud.regions = before
    await steps.sync()
    cloud.coverages = {}
    cloud.regions = { one: [tagged('a')], two: [] }
    expect(await steps.sync()).toMatchObject({ gone: 2 })
    expect(await steps.states()).toEqual({
      a: 'present',
      b: 'gone',
      bare: 'present',
      other: 'gone',
    })
    cloud.coverages = { one: 'full' }
    expect(await steps.sync()).toMatchObject({ gone: 1 })
  })
})

test('large tags: a part holds 8 MiB and one page at most', async () => {
  const tags = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [n, 'x'.repeat(6_000)]))
  cloud.pageSize = 40
  cloud.regions = { r: Array.from({ length: 300 }, (_, n) => found(`n${n}`, { tags })) }
  const input = await steps.begin()
  const { placeIds } = await steps.deliver(listPlaces, input)
  await steps.deliver(lookAtPlace, { ...input, placeId: placeIds[0] ?? 0 })
  const { platform } = harness.deps.store
  const parts = await platform('cloud_resource_pages')
    .where({ syncId: input.syncId })
    .select(platform.raw('length(found::text) as bytes'))
  const mebibytes = parts.map(({ bytes }) => Math.round(bytes / 2 ** 20))
  expect(mebibytes.length).toBeGreaterThan(1)
  expect(Math.max(...mebibytes)).toBeLessThanOrEqual(12)
})
