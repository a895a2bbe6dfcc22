import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshness } from '../../../store/finops/cost/freshness.ts'
import { charge, storeCharges } from '../../harness/cost-rows.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

/** The first two sources were loaded before the others; the first one is less complete. */
async function world() {
  const org = await harness.organization()
  const db = harness.deps.store.platform
  await storeCharges(
    db,
    org.id,
    Array.from({ length: 202 }, (_, n) =>
      charge({
        source: `team-${n}`,
        day: n === 0 ? '2026-03-08' : '2026-03-10',
        effective: `${500 - n}`,
      }),
    ),
  )
  const first = await db('billing_sources').where({ organizationId: org.id }).orderBy('id').limit(2)
  await db('billing_slices')
    .whereIn(
      'sourceId',
      first.map(({ id }) => id),
    )
    .update({ loadedAt: new Date('2026-01-01T00:00:00Z') })
  // One without a bill, which has no day and holds none back.
  await db('billing_sources').insert({ organizationId: org.id, name: 'new' })
  const read = async () => harness.deps.store.tenant(org.id, freshness)
  return { read, viewer: await org.user('Viewer') }
}

test('the 200 sources that were loaded last are read, and the days of all', async () => {
  const { read } = await world()
  const { sources, rest, completeThrough } = await read()
  expect(sources).toHaveLength(200)
  expect(sources[0]).toMatchObject({
    source: 'team-2',
    name: 'team-2',
    accountId: null,
    completeThrough: '2026-03-10',
    ingestedAt: expect.any(Date),
    newest: '2026-03-01',
  })
  expect(sources.at(-1)).toMatchObject({ source: 'team-201' })
  expect(rest).toEqual({ sources: 3, completeThrough: '2026-03-08' })
  expect(completeThrough).toBe('2026-03-08')
})

test('200: a group of another source has its name all the same', async () => {
  const { viewer } = await world()
  const url = '/api/finops/cost/series?from=2026-03-01&to=2026-03-31&groupBy=account&top=2'
  const { groups, freshness: shown } = (await viewer.get(url)).json()
  expect(groups).toMatchObject([
    { key: 'team-0', label: 'team-0' },
    { key: 'team-1', label: 'team-1' },
  ])
  expect(shown.map(({ source }: { source: string }) => source)).not.toContain('team-0')
})
