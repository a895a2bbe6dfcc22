import { afterAll, beforeAll, expect, test } from 'vitest'
import { mergeSlices } from '../../../app/finops/merge-slices.ts'
import { charge, raiseVersion, storeCharges } from '../../harness/cost-rows.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestUser } from '../../harness/test-user.ts'

// The same question gets the same answer whether months are merged or not (docs/decisions/0157). That the answers
// are right is in cost-sums.test.ts.

let harness: Harness
let viewer: TestUser
let organizationId: number
let workspaceId: number
beforeAll(async () => {
  harness = await createHarness()
  const org = await harness.organization()
  organizationId = org.id
  viewer = await org.user('Viewer')
  workspaceId = (await org.workspace()).id
  await storeCharges(harness.deps.store.platform, org.id, charges())
})
afterAll(async () => harness.close())

/** Three sources of three months, one of them with charges of the month before and one of a few days. */
function charges() {
  const of = (n: number, source: string, month: string, day: number) => ({
    source,
    period: `${month}-01`,
    day: `${n % 7 === 0 && month === '2026-03' ? '2026-02' : month}-${String(day).padStart(2, '0')}`,
    provider: n % 3 === 0 ? 'azure' : 'aws',
    service: ['Compute', 'Storage', 'Network', 'Support'][n % 4] ?? '',
    subAccount: [null, '111', '222'][n % 3] ?? null,
    region: [null, 'eu', 'us'][(n >> 1) % 3] ?? null,
    category: n % 5 === 0 ? 'Tax' : 'Usage',
    owner: (['workspace', 'unmanaged', 'none'] as const)[n % 3] ?? 'none',
    workspaceId: n % 3 === 0 ? workspaceId : null,
    currency: n % 11 === 0 ? 'EUR' : 'USD',
    effective: `${n}.00000000000${n % 10}`,
    billed: `${n + 1}.5`,
    tags: { ...(n % 2 && { team: `team-${n % 5}` }), ...(n % 3 && { env: 'prod' }) },
  })
  return ['2026-01', '2026-02', '2026-03'].flatMap((month, m) =>
    ['one', 'two', 'three'].flatMap((source, s) =>
      Array.from({ length: 60 }, (_, n) =>
        charge(of(n * 3 + m + s, source, month, source === 'three' ? 11 + (n % 3) : 1 + (n % 28))),
      ),
    ),
  )
}

const windows = [
  'from=2026-01-01&to=2026-03-31',
  'from=2026-02-12&to=2026-03-20',
  'from=2026-02-01&to=2026-02-10',
]
const filters = [
  '',
  'provider=aws',
  'provider=microsoft',
  'service=Compute',
  'service=Compute&region=eu',
  'region=&region=us',
  'source=one',
  'subAccountId=111',
  'chargeCategory=Usage',
  'owner=unmanaged',
  'tagKey=team&tagValue=team-1',
  'tagKey=team&untagged=true',
  'tagKey=team&tagValue=team-3&service=Storage',
  'basis=billed',
  'basis=list&tagKey=env',
]
const groups = [
  'provider',
  'service',
  'account',
  'subAccount',
  'region',
  'workspace',
  'tag',
  'chargeCategory',
  'service&granularity=month',
  'tag&granularity=month',
]

const filtersOfSeries = [
  '',
  'service=Compute',
  'tagKey=team&tagValue=team-1',
  'tagKey=team&untagged=true&provider=aws',
]

const paths = () => [
  ...windows.flatMap((window) =>
    [...filters, `workspaceId=${workspaceId}`].map(
      (filter) => `/api/finops/cost?${window}&${filter}`,
    ),
  ),
  ...windows
    .slice(0, 2)
    .flatMap((window) =>
      filtersOfSeries.flatMap((filter) =>
        groups.map(
          (groupBy) => `/api/finops/cost/series?${window}&${filter}&groupBy=${groupBy}&top=2`,
        ),
      ),
    ),
]

async function answers(): Promise<Map<string, unknown>> {
  // Answers are kept by the version.
  await raiseVersion(harness.deps.store.platform, organizationId)
  const found = new Map<string, unknown>()
  for (const path of paths()) {
    const answer = await viewer.get(path.replace('&&', '&').replace(/&$/, ''))
    expect(answer.statusCode, path).toBe(200)
    found.set(path, answer.json())
  }
  return found
}

test(
  'a payload or series of merged months equals that of their slices',
  { timeout: 240_000 },
  async () => {
    const db = harness.deps.store.platform
    const before = await answers()
    await mergeSlices(harness.deps.store, organizationId, 0)
    const merged = await db('merged_slices').where({ organizationId })
    expect(merged).toHaveLength(3)
    const after = await answers()
    for (const [path, body] of before) expect(after.get(path), path).toEqual(body)

    // They are what is read: one that is wrong shows.
    const ids = merged.map(({ id }) => id)
    for (const table of ['cost_daily', 'cost_monthly', 'cost_days'])
      await db(table)
        .whereIn('sliceId', ids)
        .update({ effective: db.raw('effective * 2') })
    const doubled = await answers()
    const year = `/api/finops/cost?${windows[0]}&`
    const total = (of: Map<string, unknown>) => (of.get(year) as { total: number }).total
    expect(total(doubled)).toBeCloseTo(2 * total(before), 6)

    // Not where a slice's sums changed since, and not for one that is filtered by what they do not have.
    expect(doubled.get(`${year}source=one`)).toEqual(before.get(`${year}source=one`))
    expect(doubled.get(`${year}subAccountId=111`)).toEqual(before.get(`${year}subAccountId=111`))
    await db('billing_slices')
      .where({ organizationId, isCurrent: true })
      .update({ sumsVersion: db.raw('sums_version + 1') })
    const stale = await answers()
    for (const [path, body] of before) expect(stale.get(path), path).toEqual(body)
  },
)
