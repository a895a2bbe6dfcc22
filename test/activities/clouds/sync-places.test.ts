import { MockActivityEnvironment } from '@temporalio/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { endSync } from '../../../activities/clouds/end-sync.ts'
import { listPlaces } from '../../../activities/clouds/list-places.ts'
import { lookAtPlace } from '../../../activities/clouds/look-at-place.ts'
import { mergePlace } from '../../../activities/clouds/merge-place.ts'
import type { Deps } from '../../../activities/deps.ts'
import { startSync } from '../../../app/clouds/start-sync.ts'
import { connectedAccount } from '../../harness/clouds/cloud-rows.ts'
import { inventoryOf } from '../../harness/clouds/inventory.ts'
import { found, ListedCloud } from '../../harness/clouds/listed-cloud.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestUser } from '../../harness/test-user.ts'

let harness: Harness
let organizationId: number
let viewer: TestUser
let accountId: number
let cloud: ListedCloud
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())
beforeEach(async () => {
  const org = await harness.organization()
  organizationId = org.id
  viewer = await org.user('Viewer')
  accountId = await connectedAccount(harness, org.id)
  cloud = new ListedCloud()
})

const deliver = async <I, R>(
  activity: (deps: Pick<Deps, 'store' | 'openCloud'>) => (input: I) => Promise<R>,
  input: I,
): Promise<R> => {
  const deps = { store: harness.deps.store, openCloud: async () => cloud }
  return new MockActivityEnvironment({ attempt: 1 }).run(activity(deps), input)
}
const begin = async () => {
  const sync = await harness.deps.store.tenant(organizationId, async (tenant) =>
    startSync(tenant, { cloudAccountId: accountId, trigger: 'request' }),
  )
  if (!sync) throw new Error('The organization has no room for a sync.')
  return { organizationId, syncId: sync.id }
}
const sync = async () => {
  const input = await begin()
  const { placeIds } = await deliver(listPlaces, input)
  for (const placeId of placeIds) await deliver(lookAtPlace, { ...input, placeId })
  for (const placeId of placeIds) await deliver(mergePlace, { ...input, placeId })
  await deliver(endSync, input)
  return (await viewer.get(`/api/cloud/accounts/${accountId}/syncs/${input.syncId}`)).json().sync
}
const states = async () => inventoryOf(harness, viewer).states()

describe('a place that was listed in full and now only by its tags', () => {
  const tagged = (name: string) => found(name, { tags: { env: 'x' } })
  const before = { one: [found('bare'), tagged('a'), tagged('b')], two: [found('other')] }

  test('its untagged resources are not gone, until it is listed in full again', async () => {
    cloud.coverage = 'full'
    cloud.regions = before
    await sync()
    cloud.coverage = 'tagged_only'
    cloud.regions = { one: [tagged('a')], two: [] }
    expect(await sync()).toMatchObject({ coverage: 'tagged_only', seen: 3, gone: 1 })
    // Nor by the second such look.
    expect(await sync()).toMatchObject({ gone: 0 })
    expect(await states()).toEqual({ a: 'present', b: 'gone', bare: 'present', other: 'present' })
    cloud.coverage = 'full'
    expect(await sync()).toMatchObject({ gone: 2 })
  })

  test('each place counts by itself: in one account some can be listed in full', async () => {
    cloud.coverages = { one: 'full' }
    cloud.regions = before
    await sync()
    cloud.coverages = {}
    cloud.regions = { one: [tagged('a')], two: [] }
    expect(await sync()).toMatchObject({ gone: 2 })
    expect(await states()).toEqual({ a: 'present', b: 'gone', bare: 'present', other: 'gone' })
    cloud.coverages = { one: 'full' }
    expect(await sync()).toMatchObject({ gone: 1 })
  })
})

test('large tags: a part holds 8 MiB and one page at most', async () => {
  const tags = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [n, 'x'.repeat(6_000)]))
  cloud.pageSize = 40
  cloud.regions = { r: Array.from({ length: 300 }, (_, n) => found(`n${n}`, { tags })) }
  const input = await begin()
  const { placeIds } = await deliver(listPlaces, input)
  await deliver(lookAtPlace, { ...input, placeId: placeIds[0] ?? 0 })
  const { platform } = harness.deps.store
  const parts = await platform('cloud_resource_pages')
    .where({ syncId: input.syncId })
    .select(platform.raw('length(found::text) as bytes'))
  const mebibytes = parts.map(({ bytes }) => Math.round(bytes / 2 ** 20))
  expect(mebibytes.length).toBeGreaterThan(1)
  expect(Math.max(...mebibytes)).toBeLessThanOrEqual(12)
})
