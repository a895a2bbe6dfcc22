import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { scoreAnomalies } from '../../../app/finops/score-anomalies.ts'
import { connectOwner } from '../../../store/driver/connect.ts'
import { noteDaysBelow } from '../../../store/migrations/0159-order-anomalies-as-shown.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { dailyBills, levelCost } from '../../harness/daily-bills.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'

describe('/api/finops/anomalies', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  const spiked = async (org: TestOrganization) => {
    const bills = dailyBills(harness.deps.store, org.id)
    const sourceId = await bills.source()
    const load = async (at: Record<number, number>, count = 60) =>
      scoreAnomalies(
        harness.deps.store,
        org.id,
        await bills.load(sourceId, levelCost('2026-01-01', count, { at })),
      )
    await load({ 40: 300, 59: 500 })
    return { bills, load }
  }

  test('200: every member lists them newest first, by filters and page by page', async () => {
    const org = await harness.organization()
    await spiked(org)
    const viewer = await org.user('Viewer')
    const list = async (query = '') =>
      (await viewer.get(`/api/finops/anomalies${query}`)).json<{
        anomalies: Array<{ id: number; firstDay: string; state: string }>
        nextCursor: string | null
      }>()
    const { anomalies } = await list()
    expect(anomalies).toMatchObject([
      {
        provider: 'aws',
        service: 'S3',
        firstDay: '2026-03-01',
        day: '2026-03-01',
        actual: 500,
        currency: 'USD',
        state: 'open',
        kind: 'rise',
        source: 'uploaded',
        accountId: null,
        scope: null,
        children: [],
      },
      { firstDay: '2026-02-10', state: 'resolved' },
    ])
    expect((await list('?state=open')).anomalies).toHaveLength(1)
    expect((await list('?state=open&state=resolved&provider=AWS')).anomalies).toHaveLength(2)
    // The name on the bill, in any case.
    expect((await list('?provider=amazon%20web%20services')).anomalies).toHaveLength(2)
    expect((await list('?service=EC2')).anomalies).toEqual([])
    expect((await list('?from=2026-02-01&to=2026-02-28')).anomalies).toHaveLength(1)
    const firstPage = await list('?limit=1')
    expect(firstPage.anomalies).toHaveLength(1)
    const next = await list(`?limit=1&cursor=${firstPage.nextCursor}`)
    expect(next.anomalies.map(({ firstDay }) => firstDay)).toEqual(['2026-02-10'])
    expect(next.nextCursor).toBeNull()
  })

  test('200: the list is in the order of the first days that it shows, also of those below others', async () => {
    const org = await harness.organization()
    const bills = dailyBills(harness.deps.store, org.id)
    const sourceId = await bills.source()
    const cost = (subAccountId: string, at: Record<number, number>, service = 'S3') =>
      levelCost('2026-01-01', 60, { service, subAccountId, at })
    const load = async (below: Record<number, number>) => {
      const other = cost('three', { 58: 400, 59: 410 }, 'EC2')
      const lines = [...cost('one', { 59: 5_000 }), ...cost('two', below), ...other]
      await scoreAnomalies(harness.deps.store, org.id, await bills.load(sourceId, lines))
    }
    const viewer = await org.user('Viewer')
    type Listed = { service: string; firstDay: string }
    const pages = async () => {
      const found: Array<[string, string]> = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const query: string = `?limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`
        const page: { anomalies: Listed[]; nextCursor: string | null } = (
          await viewer.get(`/api/finops/anomalies${query}`)
        ).json()
        for (const { service, firstDay } of page.anomalies) found.push([service, firstDay])
        cursor = page.nextCursor
      }
      return found
    }
    await load({ 57: 300, 58: 310, 59: 320 })
    const shown = [
      ['EC2', '2026-02-28'],
      ['S3', '2026-02-27'],
    ]
    expect(await pages()).toEqual(shown)
    // Before the upgrade the first day of those below was not noted.
    const owner = connectOwner(harness.config.databaseUrl)
    await owner('anomalies').where({ organizationId: org.id }).update({ firstDayBelow: null })
    expect(await pages()).toEqual([['S3', '2026-03-01'], shown[0]])
    await noteDaysBelow(owner)
    await owner.destroy()
    expect(await pages()).toEqual(shown)
    // A restated bill: those below begin later.
    await load({ 59: 320 })
    expect(await pages()).toEqual([['S3', '2026-03-01'], shown[0]])
  })

  test('200: one has its days with what was expected and the band', async () => {
    const org = await harness.organization()
    await spiked(org)
    const viewer = await org.user('Viewer')
    const [{ id }] = (await viewer.get('/api/finops/anomalies')).json().anomalies
    const { anomaly } = (await viewer.get(`/api/finops/anomalies/${id}`)).json()
    const day = anomaly.days.at(-1)
    expect(anomaly.days).toHaveLength(31)
    expect(day).toMatchObject({ day: '2026-03-01', actual: 500 })
    expect(day.low).toBeLessThanOrEqual(day.expected)
    expect(day.high).toBeLessThan(500)
  })

  test('200: a verdict is kept over scorings, audited, and changes the next one', async () => {
    const org = await harness.organization()
    const { bills, load } = await spiked(org)
    const deployer = await org.user('Deployer')
    const [{ id }] = (await deployer.get('/api/finops/anomalies')).json().anomalies
    const body = { state: 'not_anomaly', comment: 'a test of load' }
    const answer = await deployer.patch(`/api/finops/anomalies/${id}`, body)
    expect(answer.statusCode).toBe(200)
    expect(answer.json()).toMatchObject({ ok: true, anomaly: { id, ...body } })
    const entries = await bills.ask(
      `select detail from audit_entries where organization_id = :organizationId and event = 'finops.anomaly_decided'`,
    )
    expect(entries).toMatchObject([{ detail: { from: 'open', to: 'not_anomaly' } }])
    await load({ 40: 300, 59: 500 }, 66)
    const after = (await deployer.get(`/api/finops/anomalies/${id}`)).json()
    expect(after.anomaly.state).toBe('not_anomaly')
    const band = (days: Array<{ high: number; expected: number }>, at: number) =>
      (days.at(at)?.high ?? 0) - (days.at(at)?.expected ?? 0)
    expect(band(after.anomaly.days, -1)).toBeGreaterThan(band(after.anomaly.days, -8))
  })

  test('200: a verdict reaches those below it, but reopens none that is over', async () => {
    const org = await harness.organization()
    const bills = dailyBills(harness.deps.store, org.id)
    const sourceId = await bills.source()
    const cost = (subAccountId: string, at: Record<number, number>) =>
      levelCost('2026-01-01', 64, { subAccountId, at })
    const lines = [
      ...cost('one', { 59: 400, 60: 450, 61: 450, 62: 450, 63: 450 }),
      ...cost('two', { 59: 300 }),
    ]
    await scoreAnomalies(harness.deps.store, org.id, await bills.load(sourceId, lines))
    const deployer = await org.user('Deployer')
    const [{ id, children }] = (await deployer.get('/api/finops/anomalies')).json().anomalies
    expect(children).toMatchObject([{ subAccountId: 'two' }])
    const after = async (state: string) => {
      const answer = await deployer.patch(`/api/finops/anomalies/${id}`, { state })
      expect(answer.statusCode, answer.body).toBe(200)
      const rows = await bills.ask(
        'select state from anomalies where organization_id = :organizationId order by parent_id nulls first',
      )
      return rows.map((row) => row['state'])
    }
    expect(await after('acknowledged')).toEqual(['acknowledged', 'resolved'])
    expect(await after('open')).toEqual(['open', 'resolved'])
    expect(await after('expected')).toEqual(['expected', 'expected'])
  })

  test('200: the cost of a window has those that touch it, but for those that were none', async () => {
    const org = await harness.organization()
    await spiked(org)
    const deployer = await org.user('Deployer')
    const shown = async (query: string) =>
      (await deployer.get(`/api/finops/cost?${query}`)).json().anomalies
    const both = await shown('from=2026-02-01&to=2026-03-31')
    expect(both).toMatchObject([
      { provider: 'aws', service: 'S3', day: '2026-03-01', actual: 500 },
      { day: '2026-02-10' },
    ])
    expect(await shown('from=2026-02-01&to=2026-02-28')).toHaveLength(1)
    expect(await shown('from=2026-02-01&to=2026-03-31&service=EC2')).toEqual([])
    // The answer that was kept for this query is made anew: a verdict raises the cost version.
    await deployer.patch(`/api/finops/anomalies/${both[0].id}`, { state: 'not_anomaly' })
    expect(await shown('from=2026-02-01&to=2026-03-31')).toHaveLength(1)
  })

  test('400: resolved is no verdict, nor an unknown field or filter', async () => {
    const org = await harness.organization()
    await spiked(org)
    const deployer = await org.user('Deployer')
    const [{ id }] = (await deployer.get('/api/finops/anomalies')).json().anomalies
    for (const body of [{ state: 'resolved' }, {}, { state: 'open', drivers: [] }])
      expect((await deployer.patch(`/api/finops/anomalies/${id}`, body)).statusCode).toBe(400)
    expect((await deployer.get('/api/finops/anomalies?stat=open')).statusCode).toBe(400)
  })

  test('403: a Viewer judges none, and the refusal is audited', async () => {
    const org = await harness.organization()
    const { bills } = await spiked(org)
    const viewer = await org.user('Viewer')
    const [{ id }] = (await viewer.get('/api/finops/anomalies')).json().anomalies
    const answer = await viewer.patch(`/api/finops/anomalies/${id}`, { state: 'acknowledged' })
    expect(answer.statusCode).toBe(403)
    const entries = await bills.ask(
      `select event from audit_entries where organization_id = :organizationId and event = 'cloud.rbac_denied'`,
    )
    expect(entries).toHaveLength(1)
  })

  test('404: another organization’s anomaly, account and workspace', async () => {
    const org = await harness.organization()
    await spiked(org)
    const owner = await org.user('Owner')
    const [{ id }] = (await owner.get('/api/finops/anomalies')).json().anomalies
    const stranger = await (await harness.organization()).user('Owner')
    expect((await stranger.get('/api/finops/anomalies')).json().anomalies).toEqual([])
    for (const answer of [
      await stranger.get(`/api/finops/anomalies/${id}`),
      await stranger.patch(`/api/finops/anomalies/${id}`, { state: 'open' }),
      await stranger.get('/api/finops/anomalies?accountId=1'),
      await stranger.get('/api/finops/anomalies?workspaceId=1'),
    ])
      expect(answer.statusCode).toBe(404)
  })
})
