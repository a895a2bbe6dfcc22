import { MockActivityEnvironment } from '@temporalio/testing'
import pino from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { cloudStep } from '../../../activities/clouds/cloud-step.ts'
import { guardAll } from '../../../activities/guard-activity.ts'

/** So many organizations are active. */
const among = (organizations: number) => ({
  store: {
    // Rows of any query: how many there are is all that is asked.
    lookUp: async () => Array.from({ length: organizations }, (_, id) => ({ id })) as never[],
  },
})

type Kind = Parameters<typeof cloudStep>[1]['kind']
type Step = {
  organizationId: number
  kind: Kind
  organizations?: number
  attempt?: number
  activityId?: string
}

const begin = async (
  { organizationId, kind, organizations = 2, attempt = 1, activityId = 'a step' }: Step,
  until: Promise<unknown> = Promise.resolve(),
) =>
  new MockActivityEnvironment({ attempt, activityId }).run(async () =>
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

test('beside others an organization has four slots for looks, one for merges and one for bills; the next step is handed back', async () => {
  const looks = underWay(4, { organizationId: 1, kind: 'look' })
  await expect(begin({ organizationId: 1, kind: 'look' })).rejects.toMatchObject({
    ...taken,
    retryAfterSeconds: 2,
  })
  // Looks that wait for silent clouds keep nothing else of the organization waiting.
  for (const kind of ['merge', 'bills'] as const) {
    const one = underWay(1, { organizationId: 1, kind })
    await expect(begin({ organizationId: 1, kind })).rejects.toMatchObject(taken)
    await one.end()
    expect(await begin({ organizationId: 1, kind })).toBe('done')
  }
  expect(await begin({ organizationId: 2, kind: 'look' })).toBe('done')
  await looks.end()
  expect(await begin({ organizationId: 1, kind: 'look' })).toBe('done')
})

test('a look that was handed back half a minute ago comes before new ones, until it is late itself', async () => {
  const organizationId = 5
  const now = Date.now.bind(Date)
  let passedMs = 0
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + passedMs)
  onTestFinished(() => clock.mockRestore())
  const waiting = { organizationId, kind: 'look', activityId: 'waiting' } as const
  const fresh = { organizationId, kind: 'look', activityId: 'fresh' } as const

  let looks = underWay(4, { organizationId, kind: 'look' })
  await expect(begin({ ...waiting, attempt: 4 })).rejects.toMatchObject(taken)
  passedMs = 10_000
  await expect(begin({ ...waiting, attempt: 5 })).rejects.toMatchObject(taken)
  passedMs = 20_000
  await expect(begin({ ...waiting, attempt: 6 })).rejects.toMatchObject(taken)
  await looks.end()
  looks = underWay(3, { organizationId, kind: 'look' })
  // It has not waited for long.
  expect(await begin(fresh)).toBe('done')
  passedMs = 30_500
  await expect(begin(fresh)).rejects.toMatchObject(taken)
  expect(await begin({ ...waiting, attempt: 7 })).toBe('done')
  expect(await begin(fresh)).toBe('done')

  const last = underWay(1, { organizationId, kind: 'look' })
  await expect(begin({ ...waiting, attempt: 8 })).rejects.toMatchObject(taken)
  await last.end()
  // Another worker has it by now.
  passedMs += 31_000
  expect(await begin(fresh)).toBe('done')
  await looks.end()
})

test('the only organization has all eight slots', async () => {
  const looks = underWay(8, { organizationId: 3, kind: 'look', organizations: 1 })
  expect(await looks.end()).toHaveLength(8)
})

test('what is handed back is no fault, and returns within 15 seconds, however often it was', async () => {
  const looks = underWay(4, { organizationId: 4, kind: 'look' })
  const bills = underWay(1, { organizationId: 4, kind: 'bills' })
  const retryAfterMs = async (kind: Kind, attempt: number) => {
    const work = async () => begin({ organizationId: 4, kind, attempt })
    const { guarded } = guardAll(pino({ level: 'silent' }), { guarded: work })
    const thrown: unknown = await new MockActivityEnvironment({ attempt })
      .run(guarded)
      .catch((error: unknown) => error)
    expect(thrown).toMatchObject({ type: 'cloud_share_taken', category: 'BENIGN' })
    return Number((thrown as { nextRetryDelay?: unknown }).nextRetryDelay)
  }
  for (const attempt of [1, 2, 9, 300])
    for (const kind of ['look', 'bills'] as const)
      expect(await retryAfterMs(kind, attempt), `${kind} ${attempt}`).toBeLessThanOrEqual(15_000)
  await looks.end()
  await bills.end()
})
