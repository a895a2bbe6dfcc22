import { afterAll, beforeAll, expect, test } from 'vitest'
import type { IngestBody } from '../../../api/finops/ingests/schemas.ts'
import { presentIngest } from '../../../api/finops/ingests/present-ingest.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

async function world(sources: number, slicesOfOne: number, errorBytes: number) {
  const org = await harness.organization()
  const viewer = await org.user('Viewer')
  const db = harness.deps.store.platform
  const at = { organizationId: org.id }
  const [ingest] = await db('billing_ingests')
    .insert({ ...at, trigger: 'upload', state: 'partial', endedAt: new Date() })
    .returning('id')
  const of = { ...at, ingestId: ingest.id, sources, slicesOfOne, errorBytes }
  await db.raw(
    `insert into billing_sources (organization_id, name)
     select :organizationId, 'team-' || n from generate_series(1, :sources) n`,
    of,
  )
  await db.raw(
    `insert into billing_ingest_sources (organization_id, ingest_id, source_id, state)
     select organization_id, :ingestId, id, 'partial' from billing_sources where organization_id = :organizationId`,
    of,
  )
  await db.raw(
    `insert into billing_slices (organization_id, ingest_id, source_id, period, state, reason, manifest, errors)
     select organization_id, :ingestId, id, date '2000-01-01' + make_interval(months => n), 'refused', 'cannot be read',
       'upload ' || n, jsonb_build_array(jsonb_build_object('file', repeat('x', :errorBytes), 'row', 1, 'column', null,
         'message', 'is no number'))
     from billing_sources cross join generate_series(1, :slicesOfOne) n where organization_id = :organizationId`,
    of,
  )
  const url = `/api/finops/ingests/${ingest.id}`
  return { org, viewer, url, ingestId: Number(ingest.id) }
}

/** All parts, one after the other. */
async function partsOf({ viewer, url }: Awaited<ReturnType<typeof world>>): Promise<IngestBody[]> {
  const parts: IngestBody[] = []
  for (let cursor = ''; parts.length < 50;) {
    const answer = await viewer.get(cursor === '' ? url : `${url}?cursor=${cursor}`)
    expect(answer.statusCode, answer.body).toBe(200)
    expect(Buffer.byteLength(answer.body)).toBeLessThan(1_048_576)
    const { ingest } = answer.json()
    parts.push(ingest)
    if (ingest.nextCursor === null) return parts
    cursor = ingest.nextCursor
  }
  throw new Error('the parts have no end')
}

const slicesOf = (parts: readonly IngestBody[]) =>
  parts.flatMap(({ accounts }) => accounts.flatMap(({ slices }) => slices))

test('200: an ingest of few accounts is one part', async () => {
  const [part, ...others] = await partsOf(await world(3, 2, 10))
  expect(others).toEqual([])
  expect(part?.accounts.map(({ source, slices }) => [source, slices.length])).toEqual([
    ['team-1', 2],
    ['team-2', 2],
    ['team-3', 2],
  ])
  expect(part?.accounts[0]?.slices.map(({ period }) => period)).toEqual(['2000-02', '2000-03'])
})

test('200: 200 accounts are a part, and the cursor leads to the others', async () => {
  const parts = await partsOf(await world(401, 1, 10))
  expect(parts.map(({ accounts }) => accounts.length)).toEqual([200, 200, 1])
  const names = parts.flatMap(({ accounts }) => accounts.map(({ source }) => source))
  expect(new Set(names).size).toBe(401)
  expect(new Set(slicesOf(parts).map(({ id }) => id)).size).toBe(401)
})

test('200: 500 slices are a part, also of one account', async () => {
  const parts = await partsOf(await world(2, 700, 10))
  expect(parts.map((part) => slicesOf([part]).length)).toEqual([500, 500, 400])
  expect(parts.map(({ accounts }) => accounts.map(({ source }) => source))).toEqual([
    ['team-1'],
    ['team-1', 'team-2'],
    ['team-2'],
  ])
  expect(new Set(slicesOf(parts).map(({ id }) => id)).size).toBe(1_400)
})

test('200: a part ends before its errors have 384 KiB, but has one slice', async () => {
  const parts = await partsOf(await world(1, 40, 30_000))
  expect(slicesOf(parts)).toHaveLength(40)
  expect(slicesOf(parts.slice(0, 1))).toHaveLength(13)
  const large = await partsOf(await world(1, 3, 500_000))
  expect(large.map((part) => slicesOf([part]).length)).toEqual([1, 1, 1])
})

test('an answer to an upload has its own slices, whatever part they are in', async () => {
  const { org, ingestId } = await world(300, 1, 10)
  const db = harness.deps.store.platform
  const at = { organizationId: org.id }
  const last = await db('billing_sources').where(at).orderBy('id', 'desc').first('id')
  await db('billing_slices')
    .where({ ...at, sourceId: last.id })
    .update({ manifest: 'upload 77' })
  const ingest = await harness.deps.store.tenant(org.id, async (tenant) =>
    presentIngest(tenant, ingestId, { manifest: 'upload 77' }),
  )
  expect(ingest.accounts).toHaveLength(201)
  expect(ingest.accounts[0]).toMatchObject({
    source: 'team-300',
    slices: [{ manifest: 'upload 77', state: 'refused' }],
  })
})

test('400: a cursor that no answer can have had', async () => {
  const { viewer, url } = await world(1, 1, 1)
  for (const cursor of ['1', 'x.1', '99999999999.1', '-1.1'])
    expect((await viewer.get(`${url}?cursor=${cursor}`)).statusCode).toBe(400)
  const beyond = await viewer.get(`${url}?cursor=9999999999.9999999999`)
  expect([beyond.statusCode, beyond.json().ingest.accounts]).toEqual([200, []])
})
