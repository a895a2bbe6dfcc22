import { MockActivityEnvironment } from '@temporalio/testing'
import pino from 'pino'
import { expect, test } from 'vitest'
import { cloudStep } from '../../../activities/clouds/cloud-step.ts'
import { guardAll } from '../../../activities/guard-activity.ts'

/** So many organizations are active. */
const among = (organizations: number) => ({
  // Rows of any query: how many there are is all that is asked.
  store: { lookUp: async () => Array.from({ length: organizations }, (_, id) => ({ id })) as never[] },
})

type Kind = Parameters<typeof cloudStep>[1]['kind']
type Step = { organizationId: number; kind: Kind; organizations?: number; attempt?: number }

const begin = async (
  { organizationId, kind, organizations = 2, attempt = 1 }: Step,
  until: Promise<unknown> = Promise.resolve(),
) =>
  new MockActivityEnvironment({ attempt }).run(async () =>
    cloudStep(among(organizations), { organizationId, kind }, async () => {
      await until
      return 'done'
    }),
  )

/** So many steps that wait for `release`. */
function underWay(count: number, step: Step) {
  const release = Promise.withResolvers<void>()
  const held = Array.from({ length: count }, async () => begin(step, release.promise))
  return {
    async end() {
      release.resolve()
      return Promise.all(held)
    },
  }
}

const taken = { fault: 'unavailable', code: 'cloud_share_taken' }

test('beside others an organization has four slots for its syncs and two for its bills; the next step is handed back', async () => {
  const syncs = underWay(4, { organizationId: 1, kind: 'sync' })
  await expect(begin({ organizationId: 1, kind: 'sync' })).rejects.toMatchObject({
    ...taken,
    retryAfterSeconds: 2,
  })
  // Syncs that wait for silent clouds do not keep bills from being looked at.
  const bills = underWay(2, { organizationId: 1, kind: 'bills' })
  await expect(begin({ organizationId: 1, kind: 'bills' })).rejects.toMatchObject(taken)
  expect(await begin({ organizationId: 2, kind: 'sync' })).toBe('done')
  await syncs.end()
  expect(await begin({ organizationId: 1, kind: 'sync' })).toBe('done')
  await bills.end()
})

test('the only organization has all eight slots', async () => {
  const syncs = underWay(8, { organizationId: 3, kind: 'sync', organizations: 1 })
  expect(await syncs.end()).toHaveLength(8)
})

test('what is handed back is no fault, and returns within 15 seconds; a look at bills, which has ten attempts, less and less often', async () => {
  const syncs = underWay(4, { organizationId: 4, kind: 'sync' })
  const bills = underWay(2, { organizationId: 4, kind: 'bills' })
  const retryAfterMs = async (kind: Kind, attempt: number) => {
    const work = async () => begin({ organizationId: 4, kind, attempt })
    const { guarded } = guardAll(pino({ level: 'silent' }), { guarded: work })
    const thrown: unknown = await new MockActivityEnvironment({ attempt })
      .run(guarded)
      .catch((error: unknown) => error)
    expect(thrown).toMatchObject({ type: 'cloud_share_taken', category: 'BENIGN' })
    return Number((thrown as { nextRetryDelay?: unknown }).nextRetryDelay)
  }
  let billsMs = 0
  for (let attempt = 1; attempt <= 9; attempt += 1) {
    expect(await retryAfterMs('sync', attempt)).toBeLessThanOrEqual(15_000)
    billsMs += await retryAfterMs('bills', attempt)
  }
  // Longer than the five minutes for which a look at other bills may hold a slot, and within the hour of all attempts.
  expect(billsMs).toBeGreaterThan(8 * 60_000)
  expect(billsMs).toBeLessThan(20 * 60_000)
  await syncs.end()
  await bills.end()
})
