import { MockActivityEnvironment } from '@temporalio/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { endSync } from '../../../activities/clouds/end-sync.ts'
import { listPlaces } from '../../../activities/clouds/list-places.ts'
import { lookAtPlace } from '../../../activities/clouds/look-at-place.ts'
import { mergePlace } from '../../../activities/clouds/merge-place.ts'
import type { Deps } from '../../../activities/deps.ts'
import { startSync } from '../../../app/clouds/start-sync.ts'
import { CloudFault, type CloudFaultKind } from '../../../gateways/clouds/cloud-fault.ts'
import { connectedAccount } from '../../harness/clouds/cloud-rows.ts'
import { found, ListedCloud } from '../../harness/clouds/listed-cloud.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestUser } from '../../harness/test-user.ts'

// Each activity is called here as Temporal would call it, of a cloud that refuses.
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
  await set({ status: 'healthy' })
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
  return { organizationId, syncId: sync?.id ?? 0 }
}
/** Looks at the first place and ends. Returns the place. */
const wholeSync = async (): Promise<number> => {
  const input = await begin()
  const [placeId = 0] = (await deliver(listPlaces, input)).placeIds
  await deliver(lookAtPlace, { ...input, placeId })
  await deliver(mergePlace, { ...input, placeId })
  await deliver(endSync, input)
  return placeId
}
const set = async (change: object) =>
  harness.deps.store.platform('cloud_accounts').where({ id: accountId }).update(change)
const path = () => `/api/cloud/accounts/${accountId}`
const account = async () => (await viewer.get(path())).json().account
const shown = async (syncId: number) => (await viewer.get(`${path()}/syncs/${syncId}`)).json().sync

test('an hour of throttling: each attempt goes on where the last one was, and nothing is lost', async () => {
  // Two attempts a minute (`retryAfterSeconds`) are 120 in an hour.
  const attempts = 120
  cloud.regions = { r: Array.from({ length: 2 * attempts }, (_, n) => found(`n${n}`)) }
  const input = await begin()
  const { placeIds } = await deliver(listPlaces, input)
  const at = { ...input, placeId: placeIds[0] ?? 0 }
  let left = 1
  cloud.beforePage = async () => {
    left -= 1
    if (left < 0) throw new CloudFault('throttled', 'The cloud limits how often it may be called.')
  }
  for (let attempt = 1; attempt < attempts; attempt += 1) {
    left = 1
    await expect(deliver(lookAtPlace, at)).rejects.toMatchObject({ code: 'cloud_throttled' })
  }
  left = 1
  expect(await deliver(lookAtPlace, at)).toBe('done')
  await deliver(mergePlace, at)
  await deliver(endSync, input)
  expect(await shown(input.syncId)).toMatchObject({
    state: 'succeeded',
    seen: 2 * attempts,
    places: [{ state: 'ok', reason: null }],
  })
}, 120_000)

test('throttled until the sync is over: the place says why, and nothing in it is gone', async () => {
  cloud.regions = { r: [found('a')] }
  const placeId = await wholeSync()
  const input = await begin()
  await deliver(listPlaces, input)
  cloud.faults = { r: { kind: 'throttled', fromPage: 0 } }
  await expect(deliver(lookAtPlace, { ...input, placeId })).rejects.toThrow()
  await deliver(endSync, input)
  expect(await shown(input.syncId)).toMatchObject({
    state: 'failed',
    gone: 0,
    places: [{ region: 'r', state: 'failed', reason: 'refused by the test' }],
  })
  expect(await account()).toMatchObject({
    status: 'degraded',
    statusReason: expect.stringContaining('refused by the test'),
  })
})

test.each<[CloudFaultKind, string, string]>([
  ['credentials', 'cloud_credentials_rejected', 'invalid_credentials'],
  ['denied', 'cloud_denied', 'degraded'],
])('%s: sync and account say what the cloud refused', async (kind, code, status) => {
  cloud.refused = kind
  const input = await begin()
  await expect(deliver(listPlaces, input)).rejects.toMatchObject({ code })
  await deliver(endSync, { ...input, code })
  const reason = expect.stringContaining('refused by the test')
  expect(await shown(input.syncId)).toMatchObject({ state: 'failed', reason })
  expect(await account()).toMatchObject({ status, statusReason: reason })
})

test.each(['invalid_credentials', 'unreachable'])(
  'a sync that is answered after %s: what only a validation asks for is asked for at once',
  async (status) => {
    const later = new Date(Date.now() + 6 * 3_600_000)
    await set({ status, statusReason: 'x', nextValidationAt: later })
    cloud.regions = { r: [found('a')] }
    await wholeSync()
    const rows = harness.deps.store.platform('cloud_accounts').where({ id: accountId })
    const { nextValidationAt } = await rows.first('nextValidationAt')
    expect(nextValidationAt.getTime()).toBeLessThanOrEqual(Date.now())
  },
)

test('a right that a validation found missing is missing after a sync that listed without it', async () => {
  const missing = ['resource-explorer-2:ListIndexes']
  const checks = [
    { part: 'identity', state: 'ok', reason: null, missing: [] },
    { part: 'inventory', state: 'missing', reason: 'The credentials lack it.', missing },
  ]
  await set({ status: 'degraded', statusReason: 'x', checks: JSON.stringify(checks) })
  cloud.regions = { r: [found('a')] }
  const input = await begin()
  const [placeId = 0] = (await deliver(listPlaces, input)).placeIds
  await deliver(lookAtPlace, { ...input, placeId })
  await deliver(mergePlace, { ...input, placeId })
  await deliver(endSync, input)
  expect(await shown(input.syncId)).toMatchObject({ state: 'succeeded', seen: 1 })
  expect(await account()).toMatchObject({ status: 'degraded', checks })
})

test('why an index is not used, which a validation found, stands until a sync lists in full', async () => {
  const reason = 'The default view does not include tags.'
  const checks = [
    { part: 'identity', state: 'ok', reason: null, missing: [] },
    { part: 'inventory', state: 'ok', reason, missing: [] },
  ]
  await set({ checks: JSON.stringify(checks) })
  cloud.regions = { r: [found('a')] }
  const sync = async () => {
    const input = await begin()
    const [placeId = 0] = (await deliver(listPlaces, input)).placeIds
    await deliver(lookAtPlace, { ...input, placeId })
    await deliver(mergePlace, { ...input, placeId })
    await deliver(endSync, input)
  }
  cloud.coverage = 'tagged_only'
  await sync()
  expect(await account()).toMatchObject({ status: 'healthy', checks })
  cloud.coverage = 'full'
  await sync()
  expect((await account()).checks[1]).toMatchObject({ state: 'ok', reason: null })
})
