import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { listPlaces } from '../../activities/clouds/list-places.ts'
import { lookAtPlace } from '../../activities/clouds/look-at-place.ts'
import { mergePlace } from '../../store/clouds/merge-place.ts'
import { asTenant, unwrap } from '../../store/driver/tenant.ts'
import { found } from '../harness/clouds/listed-cloud.ts'
import { syncSteps, type SyncSteps } from '../harness/clouds/sync-steps.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'

let harness: Harness
let steps: SyncSteps
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())
beforeEach(async () => {
  steps = await syncSteps(harness)
  steps.cloud.pageSize = 1_000
})

type Plan = { 'Actual Loops': number; Plans?: Plan[] }
const loopsOf = (plan: Plan): number[] => [
  plan['Actual Loops'],
  ...(plan.Plans ?? []).flatMap(loopsOf),
]

/** Merges, and returns how often each node of the statement's plan ran. */
async function loopsOfMerge(at: { syncId: number; placeId: number }): Promise<number[]> {
  return harness.deps.store.tenant(steps.organizationId, async (tenant) => {
    const { db, organizationId } = unwrap(tenant)
    let loops: number[] = []
    const raw = async (sql: string, bindings: Record<string, number> = {}) => {
      if (!sql.trimStart().startsWith('with turn')) return db.raw(sql, bindings)
      const { rows } = await db.raw(`explain (analyze, format json) ${sql}`, bindings)
      loops = loopsOf(rows[0]['QUERY PLAN'][0].Plan)
      return { rows: [] }
    }
    const explained = new Proxy(db, {
      get: (target, name) => (name === 'raw' ? raw : Reflect.get(target, name)),
    })
    await mergePlace(asTenant(explained, organizationId), at)
    return loops
  })
}

const role = { allowed: ['a/*/read'], denied: ['a/disks/read'] }

/** Lists these types in full, then nothing with rights to some types. */
async function lists(types: string[]) {
  const { cloud } = steps
  cloud.coverage = 'full'
  cloud.regions = { '': types.map((type, n) => found(`n${n}`, { type })) }
  await steps.sync()
  Object.assign(cloud, { coverage: 'partial', readable: [role], regions: { '': [] } })
}

test('a type is compared with the patterns once, not each of its resources', async () => {
  const types = ['a/machines', 'a/disks', 'b/machines']
  await lists(Array.from({ length: 600 }, (_, n) => types[n % 3] ?? ''))
  const input = await steps.begin()
  const { placeIds } = await steps.deliver(listPlaces, input)
  const at = { ...input, placeId: placeIds[0] ?? 0 }
  await steps.deliver(lookAtPlace, at)
  const loops = await loopsOfMerge(at)
  expect(loops.length).toBeGreaterThan(10)
  expect(Math.max(...loops)).toBeLessThanOrEqual(types.length)
  const { platform } = harness.deps.store
  const gone = { organizationId: steps.organizationId, state: 'gone' }
  expect(await platform('cloud_resources').where(gone).pluck('type')).toEqual(
    Array.from({ length: 200 }, () => 'a/machines'),
  )
})

test('2,000 types at most are compared: resources of others are kept', async () => {
  await lists(Array.from({ length: 2_100 }, (_, n) => `a/t${n}`))
  expect(await steps.sync()).toMatchObject({ state: 'succeeded', gone: 2_000 })
})

test('what a role may read is kept no longer than its sync runs', async () => {
  await lists(['a/machines'])
  const stored = async (syncId: number) =>
    harness.deps.store.platform('cloud_sync_places').where({ syncId }).pluck('readable')
  const input = await steps.begin()
  await steps.deliver(listPlaces, input)
  expect(await stored(input.syncId)).toEqual([
    [{ allowed: ['a/%/read'], denied: ['a/disks/read'] }],
  ])
  const { id } = await steps.sync()
  expect(await stored(id)).toEqual([null])
})
