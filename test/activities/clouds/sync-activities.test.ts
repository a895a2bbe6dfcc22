import { MockActivityEnvironment } from '@temporalio/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { endSync } from '../../../activities/clouds/end-sync.ts'
import { listPlaces } from '../../../activities/clouds/list-places.ts'
import { lookAtPlace } from '../../../activities/clouds/look-at-place.ts'
import { mergePlace } from '../../../activities/clouds/merge-place.ts'
import type { Deps } from '../../../activities/deps.ts'
import { startSync } from '../../../app/clouds/start-sync.ts'
import { connectedAccount } from '../../harness/clouds/cloud-rows.ts'
import { found, ListedCloud } from '../../harness/clouds/listed-cloud.ts'
import { inventoryOf } from '../../harness/clouds/inventory.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestUser } from '../../harness/test-user.ts'

// Without a worker, each activity is called here as Temporal would call it.
let harness: Harness
let organizationId: number
let viewer: TestUser
let owner: TestUser
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
  owner = await org.user('Owner')
  accountId = await connectedAccount(harness, org.id)
  await account({ status: 'healthy' })
  cloud = new ListedCloud()
})

const deps = (): Pick<Deps, 'store' | 'openCloud'> => ({
  store: harness.deps.store,
  openCloud: async () => cloud,
})
const deliver = async <I, R>(
  activity: (deps: Pick<Deps, 'store' | 'openCloud'>) => (input: I) => Promise<R>,
  input: I,
): Promise<R> => new MockActivityEnvironment({ attempt: 1 }).run(activity(deps()), input)
const account = async (change?: object) => {
  const row = harness.deps.store.platform('cloud_accounts').where({ id: accountId })
  if (change) await row.clone().update(change)
  return row.first()
}
const begin = async () => {
  const sync = await harness.deps.store.tenant(organizationId, async (tenant) =>
    startSync(tenant, { cloudAccountId: accountId, trigger: 'request' }),
  )
  return { organizationId, syncId: sync?.id ?? 0 }
}
const shown = async (syncId: number) =>
  (await viewer.get(`/api/cloud/accounts/${accountId}/syncs/${syncId}`)).json().sync
/** All steps of the workflow, each called `times` times in a row. */
const sync = async (times = 1) => {
  const input = await begin()
  const twice = async (step: () => Promise<unknown>) => {
    for (let n = 0; n < times; n += 1) await step()
  }
  const { placeIds } = await deliver(listPlaces, input)
  await twice(async () => expect(await deliver(listPlaces, input)).toEqual({ placeIds }))
  for (const placeId of placeIds)
    await twice(async () => deliver(lookAtPlace, { ...input, placeId }))
  for (const placeId of placeIds)
    await twice(async () => deliver(mergePlace, { ...input, placeId }))
  await twice(async () => deliver(endSync, input))
  return shown(input.syncId)
}

const resources = async (query?: string) => inventoryOf(harness, viewer).resources(query)
const states = async () => inventoryOf(harness, viewer).states()
const written = async () => inventoryOf(harness, viewer).written()

describe('a sync', () => {
  test('each step called twice is as good as once; nothing staged stays', async () => {
    cloud.regions = { 'eu-west-1': ['a', 'b', 'c'].map((name) => found(name)), 'us-east-1': [] }
    const first = await sync(2)
    expect(first).toMatchObject({ state: 'succeeded', seen: 3, added: 3, changed: 0, gone: 0 })
    expect(first.coverage).toBe('tagged_only')
    expect(first.places).toEqual([
      { region: 'eu-west-1', service: '', state: 'ok', seen: 3, reason: null },
      { region: 'us-east-1', service: '', state: 'ok', seen: 0, reason: null },
    ])
    expect(await resources()).toHaveLength(3)
    expect(await harness.deps.store.platform('cloud_resource_pages')).toEqual([])
  })

  test('an unchanged resource costs no write and is seen anew; new, changed and gone ones are counted', async () => {
    cloud.regions = { r: ['a', 'b', 'c'].map((name) => found(name)) }
    await sync()
    const before = await written()
    const [seenBefore] = await resources()
    expect(await sync(2)).toMatchObject({ seen: 3, added: 0, changed: 0, gone: 0 })
    expect(await written()).toEqual(before)
    const [seen] = await resources()
    expect(seen.lastSeenAt > seenBefore.lastSeenAt).toBe(true)
    expect(seen.firstSeenAt).toBe(seenBefore.firstSeenAt)

    cloud.regions = { r: [found('a'), found('b', { tags: { env: 'new' } }), found('d')] }
    expect(await sync(2)).toMatchObject({ seen: 3, added: 1, changed: 1, gone: 1 })
    expect(await states()).toEqual({ a: 'present', b: 'present', c: 'gone', d: 'present' })
    const gone = (await resources('state=gone'))[0]
    expect(gone.lastSeenAt).toBe(seen.lastSeenAt)

    cloud.regions = { r: ['a', 'c'].map((name) => found(name)) }
    expect(await sync()).toMatchObject({ seen: 2, changed: 1, gone: 2 })
    expect(await states()).toEqual({ a: 'present', b: 'gone', c: 'present', d: 'gone' })
  })

  test('half a page, then a crash: the next attempt goes on at the page after the last staged one', async () => {
    const pages = 4
    cloud.pageSize = 3_000
    cloud.regions = { r: Array.from({ length: 3_000 * pages }, (_, n) => found(`n${n}`)) }
    const input = await begin()
    const { placeIds } = await deliver(listPlaces, input)
    const at = { ...input, placeId: placeIds[0] ?? 0 }
    // Two pages fill a part. The attempt dies while the last page is on its way.
    cloud.beforePage = async (_, page) => {
      if (page === 3) throw new Error('the worker is killed')
    }
    await expect(deliver(lookAtPlace, at)).rejects.toThrow('killed')
    expect(await deliver(mergePlace, at)).toBeUndefined()
    expect(await states()).toEqual({})
    cloud.beforePage = async () => undefined
    cloud.asked = []
    await deliver(lookAtPlace, at)
    expect(cloud.asked).toEqual(['r 2', 'r 3'])
    await deliver(mergePlace, at)
    await deliver(endSync, input)
    expect(await shown(input.syncId)).toMatchObject({
      state: 'succeeded',
      seen: 12_000,
      added: 12_000,
    })
  }, 60_000)

  test('two attempts at once stage and merge each resource once', async () => {
    cloud.regions = { r: Array.from({ length: 50 }, (_, n) => found(`n${n}`)) }
    const input = await begin()
    const { placeIds } = await deliver(listPlaces, input)
    const at = { ...input, placeId: placeIds[0] ?? 0 }
    const looks = await Promise.allSettled([deliver(lookAtPlace, at), deliver(lookAtPlace, at)])
    expect(looks.map(({ status }) => status).toSorted()).toContain('fulfilled')
    await Promise.all([deliver(mergePlace, at), deliver(mergePlace, at)])
    await Promise.all([deliver(endSync, input), deliver(endSync, input)])
    expect(await shown(input.syncId)).toMatchObject({ state: 'succeeded', seen: 50, added: 50 })
  })
})

describe('the same resource in two regions’ pages', () => {
  test('is counted once, and does not change back and forth where they differ', async () => {
    const [here, there] = [found('same'), found('same', { region: 'us-east-1' })]
    cloud.regions = { 'eu-west-1': [here], 'us-east-1': [there, found('other')] }
    expect(await sync()).toMatchObject({ seen: 2, added: 2 })
    const before = await written()
    expect(await sync()).toMatchObject({ seen: 2, added: 0, changed: 0, gone: 0 })
    expect(await written()).toEqual(before)
  })

  test('is not gone while one of the two lists it', async () => {
    cloud.regions = { one: [found('same')], two: [found('same')] }
    await sync()
    cloud.regions = { one: [], two: [found('same')] }
    expect(await sync()).toMatchObject({ seen: 1, gone: 0 })
    expect(await states()).toEqual({ same: 'present' })
    expect(await sync()).toMatchObject({ seen: 1, gone: 0 })
    cloud.regions = { one: [], two: [] }
    expect(await sync()).toMatchObject({ seen: 0, gone: 1 })
  })
})

describe('what could not be looked at', () => {
  beforeEach(async () => {
    cloud.regions = { one: [found('a'), found('b'), found('c')], two: [found('d')] }
    await sync()
  })
  const everything = { a: 'present', b: 'present', c: 'present', d: 'present' }

  test.each([
    ['denied', 'denied'],
    ['page_token', 'failed'],
    ['excluded', 'excluded'],
  ] as const)(
    '%s in the middle of a place: it is %s, and nothing in it is gone',
    async (kind, state) => {
      cloud.regions = { one: [found('new'), found('new2'), found('c')], two: [found('d')] }
      cloud.faults = { one: { kind, fromPage: 1 } }
      const ended = await sync(2)
      expect(ended.state).toBe(state === 'excluded' ? 'succeeded' : 'partial')
      expect(ended.places[0]).toMatchObject({ region: 'one', state, reason: 'refused by the test' })
      expect(await states()).toEqual(everything)
      const { status, statusReason } = await account()
      if (state === 'excluded') expect(status).toBe('healthy')
      else expect([status, statusReason]).toEqual(['degraded', expect.stringContaining('one')])
      cloud.faults = {}
      cloud.regions = { one: [found('a'), found('b'), found('c')], two: [found('d')] }
      await sync()
      expect((await account()).status).toBe('healthy')
    },
  )

  test('unreachable: asked three times, then the place failed', async () => {
    cloud.faults = { two: { kind: 'unreachable', fromPage: 0 } }
    cloud.asked = []
    expect(await sync()).toMatchObject({ state: 'partial' })
    expect(cloud.asked.filter((one) => one === 'two 0')).toHaveLength(3)
    expect(await states()).toEqual(everything)
  }, 30_000)

  test('throttled: the step is tried again later, which is no failure', async () => {
    cloud.faults = { one: { kind: 'throttled', fromPage: 0 } }
    const input = await begin()
    const { placeIds } = await deliver(listPlaces, input)
    await expect(
      deliver(lookAtPlace, { ...input, placeId: placeIds[0] ?? 0 }),
    ).rejects.toMatchObject({ fault: 'unavailable', code: 'cloud_throttled' })
    cloud.faults = {}
    for (const placeId of placeIds) await deliver(lookAtPlace, { ...input, placeId })
    for (const placeId of placeIds) await deliver(mergePlace, { ...input, placeId })
    await deliver(endSync, input)
    expect(await shown(input.syncId)).toMatchObject({ state: 'succeeded', seen: 4 })
  })

  test('a region that is off is named and is no fault; one that is no longer listed stays as it was', async () => {
    cloud.regions = { two: [found('d')] }
    cloud.off = ['one']
    const off = { region: 'one', state: 'excluded' }
    const ended = await sync()
    expect(ended).toMatchObject({ state: 'succeeded', gone: 0, places: [off, {}] })
    cloud.off = []
    expect(await sync()).toMatchObject({ state: 'succeeded', gone: 0 })
    expect(await states()).toEqual(everything)
  })

  test('refused credentials: all stays as last seen, and the next try comes later each time', async () => {
    cloud.refused = 'credentials'
    const minutes: number[] = []
    for (let n = 0; n < 3; n += 1) {
      const input = await begin()
      const refusal = deliver(listPlaces, input)
      await expect(refusal).rejects.toMatchObject({ code: 'cloud_credentials_rejected' })
      const failed = { ...input, code: 'cloud_credentials_rejected' }
      await deliver(endSync, failed)
      await deliver(endSync, failed)
      expect(await shown(input.syncId)).toMatchObject({ state: 'failed', seen: 0, gone: 0 })
      const { status, nextSyncAt } = await account()
      expect(status).toBe('invalid_credentials')
      minutes.push(Math.round((nextSyncAt.getTime() - Date.now()) / 60_000))
    }
    expect(minutes).toEqual([120, 240, 480])
    expect(await states()).toEqual(everything)
    cloud.refused = undefined
    await sync()
    expect(await account()).toMatchObject({ status: 'healthy', refusedSyncs: 0 })
  })

  test('refused in the middle: what was staged is dropped', async () => {
    cloud.regions = { one: [], two: [found('new')] }
    const input = await begin()
    const { placeIds } = await deliver(listPlaces, input)
    await deliver(lookAtPlace, { ...input, placeId: placeIds[0] ?? 0 })
    await deliver(endSync, { ...input, code: 'cloud_credentials_rejected' })
    for (const placeId of placeIds) await deliver(mergePlace, { ...input, placeId })
    expect(await states()).toEqual(everything)
    const ended = await shown(input.syncId)
    expect(ended.places.map(({ state }: { state: string }) => state)).toEqual(['failed', 'failed'])
  })

  test('an account disconnected during its sync: the sync ends, and nothing comes back', async () => {
    const input = await begin()
    const { placeIds } = await deliver(listPlaces, input)
    for (const placeId of placeIds) await deliver(lookAtPlace, { ...input, placeId })
    expect((await owner.delete(`/api/cloud/accounts/${accountId}`)).statusCode).toBe(200)
    for (const placeId of placeIds) await deliver(mergePlace, { ...input, placeId })
    await deliver(endSync, input)
    expect(await resources()).toEqual([])
  })
})

describe('bad input', () => {
  test('cloud ids of 2,000 characters, 50 tags with any Unicode, empty and NUL values', async () => {
    const long = (end: string) => `arn:aws:s3:::${'値'.repeat(1_980)}${end}`
    const tags = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`ключ ${n} 🔑`, '']))
    cloud.regions = {
      r: [
        found('x', { cloudId: long('a') }),
        found('y', { cloudId: long('b'), tags: { ...tags, nul: 'a\0b', half: '\u{D800}' } }),
      ],
    }
    expect(await sync()).toMatchObject({ state: 'succeeded', added: 2 })
    expect(await sync()).toMatchObject({ added: 0, changed: 0 })
    const one = (await resources(`tag=${encodeURIComponent('ключ 7 🔑=')}`))[0]
    expect(one.cloudId).toBe(long('b'))
    expect(Object.keys(one.tags)).toHaveLength(52)
  })
})
