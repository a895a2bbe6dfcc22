import { afterAll, beforeAll, expect, test } from 'vitest'
import { charge, storeCharges } from '../../harness/cost-rows.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestUser } from '../../harness/test-user.ts'

let harness: Harness
let viewer: TestUser
beforeAll(async () => {
  harness = await createHarness()
  const org = await harness.organization()
  viewer = await org.user('Viewer')
  const { platform } = harness.deps.store
  const organizationId = org.id
  await storeCharges(platform, organizationId, [
    charge({ source: 'one', subAccount: '111' }),
    charge({ source: 'two', subAccount: '222' }),
  ])
  const sources = new Map(
    (await platform('billing_sources').where({ organizationId })).map(({ id, name }) => [name, id]),
  )
  const anomaly = async (of: {
    service: string
    source?: string
    subAccountId?: string | null
  }) => {
    const { service, source, subAccountId = null } = of
    const scoped = source === undefined
    const [series] = await platform('anomaly_series')
      .insert({
        organizationId,
        sourceId: scoped ? null : sources.get(source),
        key: platform.raw('gen_random_uuid()'),
        provider: scoped ? null : 'aws',
        service: scoped ? null : service,
        subAccountId,
        scopeKind: scoped ? 'total' : null,
        currency: 'USD',
      })
      .returning('id')
    const [made] = await platform('anomalies')
      .insert({
        organizationId,
        seriesId: series.id,
        kind: 'rise',
        severity: 'low',
        state: 'open',
        firstDay: '2026-03-10',
        lastDay: '2026-03-10',
        day: '2026-03-10',
        actual: 200,
        expected: 100,
        low: 80,
        high: 130,
        impact: 100,
      })
      .returning('id')
    return made.id as number
  }
  await anomaly({ service: 'total' })
  await anomaly({ service: 'A', source: 'one', subAccountId: '111' })
  await anomaly({ service: 'B', source: 'two', subAccountId: '/subscriptions/ab' })
  await anomaly({ service: 'C', source: 'two' })
  const parent = await anomaly({ service: 'D', source: 'one', subAccountId: '111' })
  const child = await anomaly({ service: 'D', source: 'one', subAccountId: '333' })
  await platform('anomalies').where({ id: child }).update({ parentId: parent })
})
afterAll(async () => harness.close())

test.each([
  ['', ['', 'A', 'B', 'C', 'D']],
  ['source=one', ['A', 'D']],
  ['source=one&source=two', ['A', 'B', 'C', 'D']],
  ['source=none', []],
  ['subAccountId=111', ['A', 'D']],
  // One that is shown below another.
  ['subAccountId=333', ['D']],
  ['subAccountId=/Subscriptions/AB', ['B']],
  ['subAccountId=', ['C']],
  ['source=two&subAccountId=111', []],
  ['source=two&subAccountId=222&subAccountId=', ['C']],
])('200: the payload has the anomalies of its filters: %s', async (filter, services) => {
  const url = `/api/finops/cost?from=2026-03-01&to=2026-03-31${filter && `&${filter}`}`
  const { anomalies } = (await viewer.get(url)).json()
  const found = anomalies.map(({ service }: { service: string | null }) => service ?? '')
  expect(found.toSorted()).toEqual(services)
})

test('days in the wrong order are refused, as everywhere', async () => {
  const wrong = await viewer.get('/api/finops/anomalies?from=2026-11-30&to=2026-11-01')
  expect([wrong.statusCode, wrong.json().details]).toEqual([
    400,
    [{ path: 'from', message: 'is after to (2026-11-01)' }],
  ])
  expect((await viewer.get('/api/finops/anomalies?from=2026-11-30')).statusCode).toBe(200)
})
