import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { startRun } from '../../harness/runs.ts'
import { scopeBills, smallCosts } from '../../harness/scope-bills.ts'

/** 40 services of two teams: all cost more on the last day, those of one team by far the most. */
const lines = smallCosts(60, {
  services: 40,
  at: { 59: 560 },
  tags: (service) => ({ team: service < 20 ? 'a' : 'b' }),
})

describe('anomalies of the whole cost and of a tag', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  const made = async () => {
    const org = await harness.organization()
    const bills = scopeBills(harness.deps.store, org.id)
    await bills.settings({ tagKey: 'team' })
    await bills.load(await bills.bills.source(), lines)
    return { org, bills, deployer: await org.user('Deployer') }
  }
  const scopesOf = (anomalies: Array<{ scope: { kind: string; value: string } | null }>) =>
    anomalies
      .map(({ scope }) => scope?.value)
      .map(String)
      .toSorted()

  test('200: the list, the payload and one have the scope, and neither provider nor service', async () => {
    const { deployer } = await made()
    const { anomalies } = (await deployer.get('/api/finops/anomalies')).json()
    expect(scopesOf(anomalies)).toEqual(['all', 'team=a', 'team=b'])
    const [{ id }] = anomalies.filter(
      ({ scope }: { scope: { value: string } }) => scope.value === 'team=a',
    )
    const { anomaly } = (await deployer.get(`/api/finops/anomalies/${id}`)).json()
    expect(anomaly).toMatchObject({
      provider: null,
      service: null,
      accountId: null,
      source: null,
      subAccountId: null,
      scope: { kind: 'tag', value: 'team=a' },
      currency: 'USD',
      actual: 280,
      impact: 80,
      children: [],
      childCount: 0,
      state: 'open',
    })
    expect(anomaly.days).toHaveLength(31)
    expect(anomaly.days.at(-1)).toMatchObject({ actual: 280, expected: 200 })
    const cost = (await deployer.get('/api/finops/cost?from=2026-02-01&to=2026-03-31')).json()
    expect(scopesOf(cost.anomalies)).toEqual(['all', 'team=a', 'team=b'])
  })

  test('200: the whole cost is above services that explain it in no list, and what they explain is expected', async () => {
    const { bills, deployer } = await made()
    const spiked = lines.map((line) =>
      line.service === 'Service 0' && line.day === '2026-03-01'
        ? { ...line, effective: 200 }
        : line,
    )
    const [source] = await bills.bills.ask('select id from billing_sources')
    await bills.load(
      Number(source?.['id']),
      spiked.filter(({ day }) => day >= '2026-03-01'),
    )
    const { anomalies } = (await deployer.get('/api/finops/anomalies?state=open')).json()
    const total = anomalies.find(
      ({ scope }: { scope: { kind: string } | null }) => scope?.kind === 'total',
    )
    expect(anomalies.map(({ service }: { service: string | null }) => service)).toContain(
      'Service 0',
    )
    const { anomaly } = (await deployer.get(`/api/finops/anomalies/${total.id}`)).json()
    // 39 services cost 4 more each.
    expect(Math.round(anomaly.impact)).toBe(156)
    expect(anomaly.days.at(-1)).toMatchObject({
      actual: anomaly.actual,
      expected: anomaly.expected,
    })
    expect(anomaly.days.at(-1).high).toBeLessThan(anomaly.actual)
  })

  test('200: filters of a provider, service or account leave them out; state and days do not', async () => {
    const { deployer } = await made()
    const count = async (query: string) =>
      (await deployer.get(`/api/finops/anomalies?${query}`)).json().anomalies.length
    expect(await count('provider=aws')).toBe(0)
    expect(await count('service=Service%200')).toBe(0)
    expect(await count('state=open&from=2026-03-01&to=2026-03-01')).toBe(3)
    expect(await count('to=2026-02-28')).toBe(0)
  })

  test('200: a workspace that owns some of a tag’s cost has its anomaly, and not that of all', async () => {
    const { org, bills, deployer } = await made()
    const workspace = await org.workspace({ by: await org.user('Owner') })
    const of = `/api/finops/anomalies?workspaceId=${workspace.id}`
    expect((await deployer.get(of)).json().anomalies).toEqual([])
    await bills.bills.ask(
      `update cost_tag_daily set owner = 'workspace', workspace_id = :workspaceId
       where organization_id = :organizationId and tag_value = 'b' and day = '2026-03-01' and service = 'Service 21'`,
      { workspaceId: workspace.id },
    )
    expect(scopesOf((await deployer.get(of)).json().anomalies)).toEqual(['team=b'])
  })

  test('200: a verdict is audited and kept', async () => {
    const { deployer } = await made()
    const [{ id }] = (await deployer.get('/api/finops/anomalies')).json().anomalies
    const answer = await deployer.patch(`/api/finops/anomalies/${id}`, { state: 'acknowledged' })
    expect(answer.json()).toMatchObject({ ok: true, anomaly: { id, state: 'acknowledged' } })
  })

  test('200: a run names the anomaly of a scope that names it', async () => {
    const { org, deployer } = await made()
    const owner = await org.user('Owner')
    const workspace = await org.workspace({ by: owner })
    const run = await startRun(owner, workspace)
    const { platform } = harness.deps.store
    const { workspaceRunId } = await platform('pipeline_runs').where({ id: run.id }).first()
    const { anomalies } = (await deployer.get('/api/finops/anomalies')).json()
    for (const [place, { id }] of anomalies.entries())
      await platform('anomaly_runs').insert({
        organizationId: org.id,
        anomalyId: id,
        runId: workspaceRunId,
        place,
        because: 'resource',
        rise: 1,
      })
    const shown = (await owner.get(`${workspace.url}/runs/${run.id}`)).json().run
    expect(scopesOf(shown.anomalies)).toEqual(['all', 'team=a', 'team=b'])
    expect(shown.anomalies[0]).toMatchObject({ provider: null, service: null, because: 'resource' })
    const [first] = (await deployer.get('/api/finops/anomalies')).json().anomalies
    expect(first.runs).toMatchObject([{ runId: run.id, workspaceId: workspace.id }])
  })

  test('404: those of another organization', async () => {
    const { deployer } = await made()
    const [{ id }] = (await deployer.get('/api/finops/anomalies')).json().anomalies
    const stranger = await (await harness.organization()).user('Owner')
    expect((await stranger.get(`/api/finops/anomalies/${id}`)).statusCode).toBe(404)
    expect((await stranger.get('/api/finops/anomalies')).json().anomalies).toEqual([])
  })
})
