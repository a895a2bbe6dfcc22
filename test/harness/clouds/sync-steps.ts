import assert from 'node:assert/strict'
import { MockActivityEnvironment } from '@temporalio/testing'
import { endSync } from '../../../activities/clouds/end-sync.ts'
import { listPlaces } from '../../../activities/clouds/list-places.ts'
import { lookAtPlace } from '../../../activities/clouds/look-at-place.ts'
import { mergePlace } from '../../../activities/clouds/merge-place.ts'
import type { Deps } from '../../../activities/deps.ts'
import { startSync } from '../../../app/clouds/start-sync.ts'
import { mergePlace as merge } from '../../../store/clouds/merge-place.ts'
import type { Harness } from '../create-harness.ts'
import { connectedAccount } from './cloud-rows.ts'
import { inventoryOf } from './inventory.ts'
import { ListedCloud } from './listed-cloud.ts'

type Needed = Pick<Deps, 'store' | 'openCloud'>
export type SyncSteps = Awaited<ReturnType<typeof syncSteps>>

/**
 * An account of a new organization, whose cloud lists what a test says. There is no worker: each step
 * of a sync is called as Temporal would call it.
 */
export async function syncSteps(harness: Harness) {
  const org = await harness.organization()
  const [viewer, owner] = [await org.user('Viewer'), await org.user('Owner')]
  const accountId = await connectedAccount(harness, org.id)
  const { store } = harness.deps
  const row = () => store.platform('cloud_accounts').where({ id: accountId })
  await row().update({ status: 'healthy' })
  const url = `/api/cloud/accounts/${accountId}`
  const cloud = new ListedCloud()

  const deliver = async <I, R>(
    activity: (deps: Needed) => (input: I) => Promise<R>,
    input: I,
  ): Promise<R> => {
    const deps = { store, openCloud: async () => cloud }
    return new MockActivityEnvironment({ attempt: 1 }).run(activity(deps), input)
  }
  const begin = async () => {
    const sync = await store.tenant(org.id, async (tenant) =>
      startSync(tenant, { cloudAccountId: accountId, trigger: 'request' }),
    )
    if (!sync) throw new Error('The organization has no room for a sync.')
    return { organizationId: org.id, syncId: sync.id }
  }
  const shown = async (syncId: number) => (await viewer.get(`${url}/syncs/${syncId}`)).json().sync

  return {
    ...inventoryOf(harness, viewer),
    organizationId: org.id,
    accountId,
    viewer,
    owner,
    cloud,
    deliver,
    begin,
    shown,
    /** Merges a place as another worker would. One worker merges one place of an organization at a time. */
    mergeElsewhere: async (at: { syncId: number; placeId: number }) =>
      store.tenant(org.id, async (tenant) => merge(tenant, at)),
    /** The account's row. */
    row: async () => row().first(),
    /** The account as a Viewer sees it. */
    account: async () => (await viewer.get(url)).json().account,
    /** All steps of the workflow, each called `times` times in a row. */
    async sync(times = 1) {
      const input = await begin()
      const repeat = async (step: () => Promise<unknown>) => {
        for (let n = 0; n < times; n += 1) await step()
      }
      const { placeIds } = await deliver(listPlaces, input)
      await repeat(async () => assert.deepEqual(await deliver(listPlaces, input), { placeIds }))
      for (const placeId of placeIds)
        await repeat(async () => deliver(lookAtPlace, { ...input, placeId }))
      for (const placeId of placeIds)
        await repeat(async () => deliver(mergePlace, { ...input, placeId }))
      await repeat(async () => deliver(endSync, input))
      return shown(input.syncId)
    },
  }
}
