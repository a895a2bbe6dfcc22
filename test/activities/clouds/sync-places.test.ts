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
    expect(await steps.sync()).toMatchObject({ coverage: 'tagged_only', seen: 1, gone: 1 })
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

describe('a role that may read some types alone', () => {
  const of = (name: string, type: string) => found(name, { type, service: 'x' })
  const all = [
    of('vm', 'microsoft.compute/virtualmachines'),
    of('disk', 'microsoft.compute/disks'),
    of('net', 'microsoft.network/virtualnetworks'),
    of('lb_', 'microsoft.network/load_balancers'),
  ]
  const readable = [
    { allowed: ['Microsoft.Compute/*/read'], denied: ['Microsoft.Compute/disks/*'] },
    { allowed: ['microsoft.network/loadXbalancers/read'], denied: [] },
  ]

  test('marks nothing gone that it may not see, and the sync and the account say so', async () => {
    cloud.coverage = 'full'
    cloud.regions = { '': all }
    await steps.sync()
    Object.assign(cloud, { coverage: 'partial', readable, regions: { '': [] } })
    expect(await steps.sync(2)).toMatchObject({
      state: 'succeeded',
      coverage: 'tagged_only',
      gone: 1,
    })
    const kept = { vm: 'gone', disk: 'present', net: 'present', lb_: 'present' }
    expect(await steps.states()).toEqual(kept)
    const { checks, status } = await steps.account()
    expect(status).toBe('healthy')
    expect(checks[1]).toMatchObject({
      part: 'inventory',
      state: 'ok',
      reason: expect.stringContaining('some types of resources'),
    })
    cloud.regions = { '': all.slice(0, 1) }
    expect(await steps.sync()).toMatchObject({ gone: 0 })
    expect(await steps.states()).toEqual({ ...kept, vm: 'present' })

    Object.assign(cloud, { coverage: 'full', readable: undefined })
    expect(await steps.sync()).toMatchObject({ coverage: 'full', gone: 3 })
    expect((await steps.account()).checks[1]).toMatchObject({ state: 'ok', reason: null })
  })

  test('CloudQuery #13869: what is kept without being seen says when it was seen last', async () => {
    cloud.coverage = 'full'
    cloud.regions = { '': all }
    await steps.sync()
    const seen = async () =>
      Object.fromEntries(
        (await steps.resources()).map((one: { name: string; lastSeenAt: string }) => [
          one.name,
          one.lastSeenAt,
        ]),
      )
    const before = await seen()
    Object.assign(cloud, { coverage: 'partial', readable, regions: { '': all.slice(0, 1) } })
    for (const _ of [1, 2]) {
      await steps.sync()
      const after = await seen()
      expect(after['vm'] > before['vm']).toBe(true)
      expect([after['net'], after['disk']]).toEqual([before['net'], before['disk']])
    }
    Object.assign(cloud, { coverage: 'full', readable: undefined, regions: { '': all } })
    await steps.sync()
    const again = await seen()
    expect(again['net']).toBe(again['vm'])
    const written = await steps.written()
    expect(await steps.sync()).toMatchObject({ changed: 0 })
    expect(await steps.written()).toEqual(written)
    expect((await seen())['net'] > again['net']).toBe(true)
  })
})

describe('an account that names regions', () => {
  const at = (name: string, region: string) => found(name, { region })
  const all = [
    at('zonal', 'us-central1-a'),
    at('regional', 'US-Central1'),
    at('tenth', 'us-central10-a'),
    at('elsewhere', 'europe-west1-b'),
  ]
  // The clouds list what is in the named regions alone.
  const named = async (provider: string) => {
    await harness.deps.store
      .platform('cloud_accounts')
      .where({ id: steps.accountId })
      .update({ provider, regions: ['asia-east1', 'us-central1'] })
    cloud.regions = { '': [] }
  }

  test.each([
    ['gcp', { zonal: 'gone', regional: 'gone' }, 2],
    ['azure', { zonal: 'present', regional: 'gone' }, 1],
  ])(
    '%s: what it no longer lists of them is gone, and nothing else',
    async (provider, known, gone) => {
      Object.assign(cloud, { coverage: 'full', regions: { '': all } })
      expect(await steps.sync()).toMatchObject({ seen: 4 })
      await named(provider)
      expect(await steps.sync()).toMatchObject({ seen: 0, gone })
      const others = { tenth: 'present', elsewhere: 'present' }
      expect(await steps.states()).toEqual({ ...others, ...known })
    },
  )
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
    .pluck('resources')
  const mebibytes = parts.map((resources) => Math.round((resources * 60_000) / 2 ** 20))
  expect(mebibytes.length).toBeGreaterThan(1)
  expect(Math.max(...mebibytes)).toBeLessThanOrEqual(12)
})
