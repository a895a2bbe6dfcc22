import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { endSync } from '../../../activities/clouds/end-sync.ts'
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

test('a part that another attempt staged writes nothing', async () => {
  cloud.regions = { r: [found('a')] }
  const input = await steps.begin()
  const { placeIds } = await steps.deliver(listPlaces, input)
  const at = { ...input, placeId: placeIds[0] ?? 0 }
  const { platform } = harness.deps.store
  // The other one is ahead while this one waits for its page.
  cloud.beforePage = async () => {
    const part = { number: 0, nextCursor: '9', listed: [], resources: 0 }
    await platform('cloud_resource_pages').insert({ ...at, ...part })
  }
  await expect(steps.deliver(lookAtPlace, at)).rejects.toMatchObject({
    code: 'cloud_place_taken',
  })
  expect(await steps.states()).toEqual({})
})

test('a sync that ended while a page was on its way writes nothing more', async () => {
  cloud.regions = { r: [found('a')] }
  const input = await steps.begin()
  const { placeIds } = await steps.deliver(listPlaces, input)
  cloud.beforePage = async () => steps.deliver(endSync, { ...input, code: 'cloud_denied' })
  const look = steps.deliver(lookAtPlace, { ...input, placeId: placeIds[0] ?? 0 })
  await expect(look).rejects.toMatchObject({ code: 'cloud_place_taken' })
  expect(await steps.states()).toEqual({})
})

test('denied after a part was written: what it listed stays, and nothing is gone', async () => {
  cloud.regions = { r: [found('old')] }
  await steps.sync()
  // Each page fills a part.
  const tags = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [n, 'x'.repeat(6_000)]))
  cloud.pageSize = 40
  cloud.regions = { r: Array.from({ length: 120 }, (_, n) => found(`n${n}`, { tags })) }
  cloud.faults = { r: { kind: 'denied', fromPage: 2 } }
  expect(await steps.sync()).toMatchObject({ state: 'failed', added: 80, gone: 0 })
  const { rows } = await harness.deps.store.platform.raw(
    `select state, count(*)::integer as count from cloud_resources where organization_id = ? group by 1`,
    [steps.organizationId],
  )
  expect(rows).toEqual([{ state: 'present', count: 81 }])
  cloud.faults = {}
  expect(await steps.sync()).toMatchObject({ seen: 120, added: 40, changed: 0, gone: 1 })
})

test('what a look found before it ended is never seen last before it was found', async () => {
  const tagged = (name: string) => found(name, { tags: { env: 'x' } })
  cloud.coverage = 'full'
  cloud.regions = { r: [tagged('back'), found('kept'), tagged('old')] }
  await steps.sync()
  // A look by tags: `back` is gone, and `kept` stays unseen.
  cloud.coverage = 'tagged_only'
  cloud.regions = { r: [tagged('old')] }
  await steps.sync()
  const seen = async () =>
    Object.fromEntries(
      (await steps.resources()).map((one: { name: string; lastSeenAt: string }) => [one.name, one]),
    )
  const before = await seen()
  expect(before).toMatchObject({ back: { state: 'gone' }, kept: { state: 'present' } })

  cloud.coverage = 'full'
  cloud.regions = { r: [tagged('back'), found('kept'), tagged('old'), found('new')] }
  const begunAt = new Date().toISOString()
  const input = await steps.begin()
  const { placeIds } = await steps.deliver(listPlaces, input)
  await steps.deliver(lookAtPlace, { ...input, placeId: placeIds[0] ?? 0 })
  const during = await seen()
  for (const name of ['back', 'kept', 'new']) {
    expect(during[name].lastSeenAt >= begunAt, name).toBe(true)
    expect(during[name].lastSeenAt >= during[name].firstSeenAt, name).toBe(true)
  }
  expect(during['back'].firstSeenAt).toBe(before['back'].firstSeenAt)
  await steps.deliver(endSync, { ...input, code: 'cloud_denied' })
  expect(await seen()).toEqual(during)

  // The next look does not find them: they were seen last by the one that did not end.
  cloud.regions = { r: [tagged('old')] }
  expect(await steps.sync()).toMatchObject({ gone: 3 })
  const gone = await seen()
  for (const name of ['back', 'kept', 'new'])
    expect(gone[name]).toEqual({ ...during[name], state: 'gone' })
})

test('a first look that did not end: what the next one does not find was not seen by it', async () => {
  cloud.regions = { r: [found('a')] }
  const input = await steps.begin()
  const { placeIds } = await steps.deliver(listPlaces, input)
  await steps.deliver(lookAtPlace, { ...input, placeId: placeIds[0] ?? 0 })
  await steps.deliver(endSync, { ...input, code: 'cloud_denied' })
  cloud.regions = { r: [] }
  expect(await steps.sync()).toMatchObject({ gone: 1 })
  const [only] = await steps.resources()
  expect(only).toMatchObject({ state: 'gone', lastSeenAt: only.firstSeenAt })
})
