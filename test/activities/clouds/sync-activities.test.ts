import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
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
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())
beforeEach(async () => {
  steps = await syncSteps(harness)
  ;({ cloud } = steps)
})

describe('a sync', () => {
  test('each step called twice is as good as once; nothing staged stays', async () => {
    cloud.regions = { 'eu-west-1': ['a', 'b', 'c'].map((name) => found(name)), 'us-east-1': [] }
    const first = await steps.sync(2)
    expect(first).toMatchObject({ state: 'succeeded', seen: 3, added: 3, changed: 0, gone: 0 })
    expect(first.coverage).toBe('tagged_only')
    expect(first.places).toEqual([
      { region: 'eu-west-1', service: '', state: 'ok', seen: 3, reason: null },
      { region: 'us-east-1', service: '', state: 'ok', seen: 0, reason: null },
    ])
    expect(await steps.resources()).toHaveLength(3)
    expect(await harness.deps.store.platform('cloud_resource_pages')).toEqual([])
  })

  test('an unchanged resource costs no write and is seen anew; new, changed and gone ones are counted', async () => {
    cloud.regions = { r: ['a', 'b', 'c'].map((name) => found(name)) }
    await steps.sync()
    const before = await steps.written()
    const [seenBefore] = await steps.resources()
    expect(await steps.sync(2)).toMatchObject({ seen: 3, added: 0, changed: 0, gone: 0 })
    expect(await steps.written()).toEqual(before)
    const [seen] = await steps.resources()
    expect(seen.lastSeenAt > seenBefore.lastSeenAt).toBe(true)
    expect(seen.firstSeenAt).toBe(seenBefore.firstSeenAt)

    cloud.regions = { r: [found('a'), found('b', { tags: { env: 'new' } }), found('d')] }
    expect(await steps.sync(2)).toMatchObject({ seen: 3, added: 1, changed: 1, gone: 1 })
    expect(await steps.states()).toEqual({ a: 'present', b: 'present', c: 'gone', d: 'present' })
    const gone = (await steps.resources('state=gone'))[0]
    expect(gone.lastSeenAt).toBe(seen.lastSeenAt)

    cloud.regions = { r: ['a', 'c'].map((name) => found(name)) }
    expect(await steps.sync()).toMatchObject({ seen: 2, changed: 1, gone: 2 })
    expect(await steps.states()).toEqual({ a: 'present', b: 'gone', c: 'present', d: 'gone' })
  })

  test('each part that is staged is one row, and no other row of its place is written', async () => {
    cloud.regions = { r: Array.from({ length: 12_000 }, (_, n) => found(`n${n}`)) }
    cloud.pageSize = 1_000
    const input = await steps.begin()
    const { placeIds } = await steps.deliver(listPlaces, input)
    const { platform } = harness.deps.store
    const ofPlace = async (table: string) =>
      platform(table).where({ syncId: input.syncId }).select(platform.raw('xmin::text'))
    const noted = await ofPlace('cloud_sync_places')
    for (const placeId of placeIds) await steps.deliver(lookAtPlace, { ...input, placeId })
    expect(await ofPlace('cloud_resource_pages')).toHaveLength(2)
    expect(await ofPlace('cloud_sync_places')).toEqual(noted)
  })

  test('the account shows it, when the next comes, and how many resources are present', async () => {
    expect(await steps.account()).toMatchObject({
      sync: null,
      resources: 0,
      ingest: null,
      nextIngestAt: null,
      completeThrough: null,
    })
    cloud.regions = { r: ['a', 'b', 'c'].map((name) => found(name)), s: [found('d')] }
    const { places: _, ...first } = await steps.sync()
    expect(await steps.account()).toMatchObject({ sync: first, resources: 4 })
    expect(Date.parse((await steps.account()).nextSyncAt)).toBeGreaterThan(Date.now())

    cloud.regions = { r: [found('a')], s: [found('d')] }
    const { places: __, ...second } = await steps.sync(2)
    expect(await steps.account()).toMatchObject({ sync: second, resources: 2 })
    // What is not looked at stays, and counts.
    cloud.faults = { r: { kind: 'denied', fromPage: 0 } }
    cloud.regions = { r: [], s: [] }
    expect((await steps.sync()).state).toBe('partial')
    expect(await steps.account()).toMatchObject({ sync: { state: 'partial' }, resources: 1 })
    const input = await steps.begin()
    expect(await steps.account()).toMatchObject({
      sync: { id: input.syncId, state: 'running' },
      resources: 1,
    })
  })

  test('half a page, then a crash: the next attempt goes on at the page after the last staged one', async () => {
    const pages = 4
    const { platform } = harness.deps.store
    const { organizationId } = steps
    const written = async () => platform('cloud_resources').where({ organizationId }).pluck('id')
    cloud.pageSize = 3_000
    cloud.regions = { r: Array.from({ length: 3_000 * pages }, (_, n) => found(`n${n}`)) }
    const input = await steps.begin()
    const { placeIds } = await steps.deliver(listPlaces, input)
    const at = { ...input, placeId: placeIds[0] ?? 0 }
    // Two pages fill a part. The attempt dies while the last page is on its way.
    cloud.beforePage = async (_, page) => {
      if (page === 3) throw new Error('the worker is killed')
    }
    await expect(steps.deliver(lookAtPlace, at)).rejects.toThrow('killed')
    expect(await steps.deliver(mergePlace, at)).toBeUndefined()
    // What was written stays, and is counted once.
    expect(await written()).toHaveLength(6_000)
    cloud.beforePage = async () => undefined
    cloud.asked = []
    await steps.deliver(lookAtPlace, at)
    expect(cloud.asked).toEqual(['r 2', 'r 3'])
    await steps.deliver(mergePlace, at)
    await steps.deliver(endSync, input)
    expect(await steps.shown(input.syncId)).toMatchObject({
      state: 'succeeded',
      seen: 12_000,
      added: 12_000,
    })
  }, 60_000)

  test('two attempts at once stage and merge each resource once', async () => {
    cloud.regions = { r: Array.from({ length: 50 }, (_, n) => found(`n${n}`)) }
    const input = await steps.begin()
    const { placeIds } = await steps.deliver(listPlaces, input)
    const at = { ...input, placeId: placeIds[0] ?? 0 }
    const looks = await Promise.allSettled([
      steps.deliver(lookAtPlace, at),
      steps.deliver(lookAtPlace, at),
    ])
    expect(looks.map(({ status }) => status).toSorted()).toContain('fulfilled')
    await Promise.all([steps.deliver(mergePlace, at), steps.mergeElsewhere(at)])
    await Promise.all([steps.deliver(endSync, input), steps.deliver(endSync, input)])
    expect(await steps.shown(input.syncId)).toMatchObject({
      state: 'succeeded',
      seen: 50,
      added: 50,
    })
  })
})

describe('the same resource in two regions’ pages', () => {
  test('is counted once, and does not change back and forth where they differ', async () => {
    const [here, there] = [found('same'), found('same', { region: 'us-east-1' })]
    cloud.regions = { 'eu-west-1': [here], 'us-east-1': [there, found('other')] }
    expect(await steps.sync()).toMatchObject({ seen: 2, added: 2 })
    const before = await steps.written()
    expect(await steps.sync()).toMatchObject({ seen: 2, added: 0, changed: 0, gone: 0 })
    expect(await steps.written()).toEqual(before)
  })

  test('is not gone while one of the two lists it', async () => {
    cloud.regions = { one: [found('same')], two: [found('same')] }
    await steps.sync()
    cloud.regions = { one: [], two: [found('same')] }
    expect(await steps.sync()).toMatchObject({ seen: 1, gone: 0 })
    expect(await steps.states()).toEqual({ same: 'present' })
    expect(await steps.sync()).toMatchObject({ seen: 1, gone: 0 })
    cloud.regions = { one: [], two: [] }
    expect(await steps.sync()).toMatchObject({ seen: 0, gone: 1 })
  })
})

describe('what could not be looked at', () => {
  beforeEach(async () => {
    cloud.regions = { one: [found('a'), found('b'), found('c')], two: [found('d')] }
    await steps.sync()
  })
  const everything = { a: 'present', b: 'present', c: 'present', d: 'present' }

  test.each([
    ['CloudQuery #2168, #13869', 'denied', 'denied'],
    ['CloudQuery #2168, #13869', 'page_token', 'failed'],
    ['Steampipe #2517, aws-nuke #495', 'excluded', 'excluded'],
  ] as const)(
    '%s: %s in the middle of a place: it is %s, and nothing in it is gone',
    async (_, kind, state) => {
      cloud.regions = { one: [found('new'), found('new2'), found('c')], two: [found('d')] }
      cloud.faults = { one: { kind, fromPage: 1 } }
      const ended = await steps.sync(2)
      expect(ended.state).toBe(state === 'excluded' ? 'succeeded' : 'partial')
      expect(ended.places[0]).toMatchObject({ region: 'one', state, reason: 'refused by the test' })
      expect(await steps.states()).toEqual(everything)
      const { status, statusReason } = await steps.row()
      if (state === 'excluded') expect(status).toBe('healthy')
      else expect([status, statusReason]).toEqual(['degraded', expect.stringContaining('one')])
      cloud.faults = {}
      cloud.regions = { one: [found('a'), found('b'), found('c')], two: [found('d')] }
      await steps.sync()
      expect((await steps.row()).status).toBe('healthy')
    },
  )

  test('unreachable: asked three times, then the place failed', async () => {
    cloud.faults = { two: { kind: 'unreachable', fromPage: 0 } }
    cloud.asked = []
    expect(await steps.sync()).toMatchObject({ state: 'partial' })
    expect(cloud.asked.filter((one) => one === 'two 0')).toHaveLength(3)
    expect(await steps.states()).toEqual(everything)
  }, 30_000)

  test('CloudQuery #15780: throttled: the step is tried again later, which is no failure', async () => {
    cloud.faults = { one: { kind: 'throttled', fromPage: 0 } }
    const input = await steps.begin()
    const { placeIds } = await steps.deliver(listPlaces, input)
    await expect(
      steps.deliver(lookAtPlace, { ...input, placeId: placeIds[0] ?? 0 }),
    ).rejects.toMatchObject({ fault: 'unavailable', code: 'cloud_throttled' })
    cloud.faults = {}
    for (const placeId of placeIds) await steps.deliver(lookAtPlace, { ...input, placeId })
    for (const placeId of placeIds) await steps.deliver(mergePlace, { ...input, placeId })
    await steps.deliver(endSync, input)
    expect(await steps.shown(input.syncId)).toMatchObject({ state: 'succeeded', seen: 4 })
  })

  test('region lists: one that is off is named and is no fault; one that is no longer listed stays as it was', async () => {
    cloud.regions = { two: [found('d')] }
    cloud.off = ['one']
    const off = { region: 'one', state: 'excluded' }
    const ended = await steps.sync()
    expect(ended).toMatchObject({ state: 'succeeded', gone: 0, places: [off, {}] })
    cloud.off = []
    expect(await steps.sync()).toMatchObject({ state: 'succeeded', gone: 0 })
    expect(await steps.states()).toEqual(everything)
  })

  test('refused credentials: all stays as last seen, and the next try comes later each time', async () => {
    const statesOf = (checks: Array<{ state: string }>) => checks.map(({ state }) => state)
    cloud.refused = 'credentials'
    const minutes: number[] = []
    for (let n = 0; n < 3; n += 1) {
      const input = await steps.begin()
      const refusal = steps.deliver(listPlaces, input)
      await expect(refusal).rejects.toMatchObject({ code: 'cloud_credentials_rejected' })
      const failed = { ...input, code: 'cloud_credentials_rejected' }
      await steps.deliver(endSync, failed)
      await steps.deliver(endSync, failed)
      expect(await steps.shown(input.syncId)).toMatchObject({ state: 'failed', seen: 0, gone: 0 })
      const { status, nextSyncAt, checks } = await steps.row()
      expect([status, ...statesOf(checks)]).toEqual(['invalid_credentials', 'failed', 'failed'])
      minutes.push(Math.round((nextSyncAt.getTime() - Date.now()) / 60_000))
    }
    expect(minutes).toEqual([120, 240, 480])
    expect(await steps.states()).toEqual(everything)
    cloud.refused = undefined
    await steps.sync()
    expect(await steps.row()).toMatchObject({ status: 'healthy', refusedSyncs: 0 })
  })

  test('refused in the middle: what was staged is dropped', async () => {
    cloud.regions = { one: [], two: [found('new')] }
    const input = await steps.begin()
    const { placeIds } = await steps.deliver(listPlaces, input)
    await steps.deliver(lookAtPlace, { ...input, placeId: placeIds[0] ?? 0 })
    await steps.deliver(endSync, { ...input, code: 'cloud_credentials_rejected' })
    for (const placeId of placeIds) await steps.deliver(mergePlace, { ...input, placeId })
    expect(await steps.states()).toEqual(everything)
    const ended = await steps.shown(input.syncId)
    expect(ended.places.map(({ state }: { state: string }) => state)).toEqual(['failed', 'failed'])
  })

  test('an account disconnected during its sync: the sync ends, and nothing comes back', async () => {
    const input = await steps.begin()
    const { placeIds } = await steps.deliver(listPlaces, input)
    for (const placeId of placeIds) await steps.deliver(lookAtPlace, { ...input, placeId })
    expect((await steps.owner.delete(`/api/cloud/accounts/${steps.accountId}`)).statusCode).toBe(
      200,
    )
    for (const placeId of placeIds) await steps.deliver(mergePlace, { ...input, placeId })
    await steps.deliver(endSync, input)
    expect(await steps.resources()).toEqual([])
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
    expect(await steps.sync()).toMatchObject({ state: 'succeeded', added: 2 })
    expect(await steps.sync()).toMatchObject({ added: 0, changed: 0 })
    const one = (await steps.resources(`tag=${encodeURIComponent('ключ 7 🔑=')}`))[0]
    expect(one.cloudId).toBe(long('b'))
    expect(Object.keys(one.tags)).toHaveLength(52)
  })
})
