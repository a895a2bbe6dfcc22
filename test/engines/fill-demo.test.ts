import { afterAll, beforeAll, expect, test } from 'vitest'
import { fillDemo } from '../../scripts/start/fill-demo.ts'
import { billingSources } from '../../store/finops/billing-sources.ts'
import { organizations } from '../../store/platform/organizations.ts'
import { users } from '../../store/users/users.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { createTestUser, type TestUser } from '../harness/test-user.ts'
import { demoBudgets } from '../../scripts/start/demo-cost/demo-budgets.ts'
import { causeDay, dateBackRun } from '../../scripts/start/demo-cost/date-back-run.ts'
import { million } from '../../scripts/start/demo-cost/demo-charge.ts'
import { chargesOfMonth, demoMonths } from '../../scripts/start/demo-cost/demo-months.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness({ worker: true })
})
afterAll(() => harness.close())

test('--demo fills in workspaces, pipelines and runs, of which one waits for the Owner, and a second time nothing', async () => {
  const { deps, config } = harness
  const said: string[] = []
  const fill = async () =>
    fillDemo({ config, say: (line) => said.push(line), signal: new AbortController().signal })
  await fill()
  expect(said).toEqual(['demo: there is no organization demo with an Owner'])

  const { id: organizationId } = await organizations(deps.store.platform).create('demo', 'demo')
  const email = 'owner@demo.example'
  const { id } = await deps.store.tenant(organizationId, async (tenant) =>
    users(tenant).create({ email, name: 'Owner', role: 'Owner' }),
  )
  const owner = await createTestUser(harness.app, deps, { id, organizationId, email })
  await fill()

  const shape = async () => {
    const { workspaces } = (await owner.get('/api/workspaces')).json()
    const { pipelines } = (await owner.get('/api/pipelines')).json()
    return {
      workspaces: workspaces.map(({ name, criticality, lastRun }: Record<string, unknown>) => [
        name,
        criticality,
        lastRun,
      ]),
      pipelines: pipelines.map(({ name }: { name: string }) => name),
    }
  }
  const filled = await shape()
  await expectCost(owner)
  await expectCause(owner, organizationId)
  const counted = await counts(organizationId)
  expect(counted).toMatchObject({ sources: 3, uploads: 4, budgets: 6, datedBack: 1 })
  expect(filled).toEqual({
    workspaces: [
      ['demo-network', 'standard', expect.objectContaining({ number: 2, state: 'succeeded' })],
      [
        'demo-shop',
        'production',
        expect.objectContaining({ number: 2, state: 'running', awaitingApproval: true }),
      ],
    ],
    pipelines: ['provision-demo-network', 'provision-demo-shop', 'release-demo-shop'],
  })
  await expectOthersKept(owner, organizationId)
  const { version } = await costVersion(organizationId)
  await fill()
  expect(await shape()).toEqual(filled)
  expect(await counts(organizationId)).toEqual(counted)
  expect(await costVersion(organizationId)).toEqual({ version })
  await deps.store.tenant(organizationId, async (tenant) =>
    billingSources(tenant).ensureNamed('datacentre'),
  )
  await fill()
  expect(said.at(-1)).not.toContain('a year of cost is there')
  expect(said.join('\n')).toContain('it gets no invented cost')
  expect(await counts(organizationId)).toMatchObject({ uploads: counted.uploads })

  const [shop] = (await owner.get('/api/workspaces')).json().workspaces.slice(1)
  const [run] = (await owner.get(`/api/workspaces/${shop.id}/runs`)).json().runs
  expect(run).toMatchObject({
    awaitingApproval: true,
    blockedBy: { whoCanAct: [expect.stringContaining(email)] },
  })
  const url = `/api/pipelines/${shop.pipelineId}/runs/${run.id}/approve`
  expect((await owner.post(url, {})).statusCode).toBe(200)
}, 400_000)

const today = new Date().toISOString().slice(0, 10)
const time = { anchor: today, today }

async function expectCost(owner: TestUser): Promise<void> {
  const months = demoMonths(time)
  const { total, byOwner, completeThrough, ...cost } = (
    await owner.get(`/api/finops/cost?from=${months[0]}-01&to=${today}`)
  ).json()
  const wanted = (['aws', 'azure', 'gcp'] as const).flatMap((cloud) =>
    months.flatMap((month) => chargesOfMonth({ ...time, cloud, month })),
  )
  const sum = wanted.reduce((all, { effective }) => all + effective, 0)
  expect(total).toBeCloseTo(sum / million, 5)
  expect(completeThrough).not.toBeNull()
  expect(cost.tagKey).toBe('team')
  // By a state that holds some resources of each bill, and no other.
  const ofShop = wanted.filter(({ resource }) => resource?.isShop === true)
  const held = ofShop.filter(({ resource }) => resource?.name !== 'shop-web-2')
  expect(byOwner.workspaces).toMatchObject([{ name: 'demo-shop' }])
  expect(byOwner.workspaces[0].amount).toBeCloseTo(
    held.reduce((all, { effective }) => all + effective, 0) / million,
    5,
  )
  const unmanaged = (await owner.get('/api/finops/unmanaged')).json()
  expect(unmanaged.total).toBeGreaterThan(0)
  expect(unmanaged.resources[0].importBlock).toContain('import {')

  const { budgets } = (await owner.get('/api/finops/budgets')).json()
  const state = ({ name, state }: { name: string; state: string }) => [name, state]
  expect(budgets.map(state)).toEqual(
    demoBudgets({ ...time, shopId: 1 }).map(({ body, state }) => [body.name, state]),
  )
}

async function expectCause(owner: TestUser, organizationId: number): Promise<void> {
  const { anomalies } = (await owner.get('/api/finops/anomalies')).json()
  expect(anomalies).toHaveLength(5)
  const open = anomalies.filter(({ state }: { state: string }) => state === 'open')
  expect(open).toMatchObject([
    { service: 'BigQuery' },
    { service: 'Amazon Elastic Compute Cloud', firstDay: causeDay(today), severity: 'high' },
  ])
  const [, { runs, drivers }] = open
  expect(runs).toMatchObject([
    {
      workspaceName: 'demo-shop',
      number: 1,
      because: 'resource',
      author: { label: 'dana@demo.example' },
    },
  ])
  expect(runs[0].appliedAt.slice(0, 10)).toBe(causeDay(today))
  expect(drivers.map(({ value }: { value: string }) => value)).toContain('team=checkout')
  const told = await harness.deps.store
    .platform('notices')
    .where({ organizationId, event: 'anomaly.opened' })
    .orderBy('id')
    .select('subjectId')
  expect(new Set(told.map(({ subjectId }) => Number(subjectId)))).toEqual(
    new Set(open.map(({ id }: { id: number }) => id)),
  )
  expect(told).toHaveLength(open.length)
  const { run } = (
    await owner.get(`/api/pipelines/${runs[0].pipelineId}/runs/${runs[0].runId}`)
  ).json()
  expect(run.approvals[0].comment).toContain(`dates this run back to ${causeDay(today)}`)
}

/** A run without the demo's mark keeps its times, whatever its workspace is called. */
async function expectOthersKept(owner: TestUser, organizationId: number): Promise<void> {
  const { workspaces } = (await owner.get('/api/workspaces')).json()
  const [{ id: workspaceId }] = workspaces
  const runs = async () => (await owner.get(`/api/workspaces/${workspaceId}/runs`)).json()
  const before = await runs()
  await dateBackRun(harness.deps, { organizationId }, { workspaceId, anchor: today })
  expect(await runs()).toEqual(before)
}

async function counts(organizationId: number) {
  const { platform } = harness.deps.store
  const count = async (table: string, where: Record<string, unknown> = {}) => {
    const [row] = await platform(table)
      .where({ organizationId, ...where })
      .count('* as rows')
    return Number(row?.['rows'])
  }
  return {
    sources: await count('billing_sources'),
    ingests: await count('billing_ingests'),
    uploads: await count('billing_uploads'),
    budgets: await count('budgets'),
    datedBack: await count('audit_entries', { event: 'demo.run_dated_back' }),
  }
}

const costVersion = async (organizationId: number) =>
  harness.deps.store.platform('cost_versions').where({ organizationId }).first('version')
