import { unwrap } from '../../../store/driver/tenant.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { charge, storeCharges } from '../../harness/cost-rows.ts'
import { connectedAccount } from '../../harness/clouds/cloud-rows.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestUser } from '../../harness/test-user.ts'
import { runInPhase } from '../workspaces/run-in-phase.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(() => harness.close())

const url = '/api/console/data'
const waiting = async (user: TestUser) =>
  (await user.get(url)).json().waitingForMe.map((run: { id: number }) => run.id)

describe('GET /api/console/data', () => {
  test('200: the user, the organization and zero counts', async () => {
    const org = await harness.organization()
    const viewer = await org.user('Viewer')
    expect((await viewer.get(url)).json()).toEqual({
      user: {
        id: viewer.id,
        email: viewer.email,
        name: viewer.email,
        role: 'Viewer',
        capabilities: ['read'],
        platformAdmin: false,
      },
      organization: { id: org.id, slug: org.slug, name: org.slug, status: 'active' },
      counts: { workspaces: 0, pipelines: 0, runs: { live: 0, waiting: 0, failedLastDay: 0 } },
      lastRuns: [],
      cost: {
        monthToDate: 0,
        monthComplete: null,
        monthBefore: null,
        forecast: null,
        currency: 'USD',
        budgets: [],
        openAnomalies: 0,
      },
      accounts: [],
      samlCertificates: [],
      setup: null,
      waitingForMe: [],
    })
  })

  test('200: the cloud accounts that are not healthy, of this organization alone', async () => {
    const org = await harness.organization()
    const [healthy, degraded] = [
      await connectedAccount(harness, org.id),
      await connectedAccount(harness, org.id),
    ]
    await harness.deps.store
      .platform('cloud_accounts')
      .where({ id: healthy })
      .update({ status: 'healthy' })
    await harness.deps.store
      .platform('cloud_accounts')
      .where({ id: degraded })
      .update({ status: 'degraded', statusReason: 'A right is missing.' })
    const { accounts } = (await (await org.user('Viewer')).get(url)).json()
    expect(accounts).toMatchObject([
      { id: degraded, status: 'degraded', statusReason: 'A right is missing.' },
    ])
    const stranger = await (await harness.organization()).user('Owner')
    expect((await stranger.get(url)).json().accounts).toEqual([])
  })

  test('200: cost of the month with its forecast and the states of budgets', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const today = Date.now()
    const days = Array.from({ length: 60 }, (_, n) =>
      new Date(today - n * 86_400_000).toISOString().slice(0, 10),
    )
    const { platform } = harness.deps.store
    await storeCharges(
      platform,
      org.id,
      days.map((day) => charge({ day, effective: '10' })),
    )
    const budget = { name: 'all', amountMonthly: 1, scopeKind: 'all' }
    expect((await owner.post('/api/finops/budgets', budget)).statusCode).toBe(201)
    const { cost } = (await owner.get(url)).json()
    const month = days.filter((day) => day.startsWith(days[0]?.slice(0, 7) ?? ''))
    expect(cost).toMatchObject({ monthToDate: 10 * month.length, openAnomalies: 0 })
    expect(cost.budgets).toMatchObject([{ name: 'all', state: 'exceeded' }])
    const now = new Date()
    const last = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 0)).getUTCDate()
    expect(cost.forecast).toBeCloseTo(10 * last, 0)
  })

  test('200: waiting runs are shown to each person who may approve them, and not to authors or Viewers', async () => {
    const org = await harness.organization()
    const [author, filesAuthor, changer] = [
      await org.user('Owner'),
      await org.user('Deployer'),
      await org.user('Deployer'),
    ]
    const [approver, viewer] = [await org.user('Deployer'), await org.user('Viewer')]
    const workspace = await org.workspace({ by: filesAuthor, criticality: 'production' })
    const place = { organizationId: org.id, workspaceId: workspace.id, authorUserId: author.id }
    const run = await runInPhase(harness.deps, place, 'awaiting_approval')
    await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant).db('workspace_authorship').insert({
        organizationId: org.id,
        workspaceId: workspace.id,
        userId: changer.id,
        what: 'variable x',
      }),
    )
    expect(await waiting(approver)).toEqual([run.id])
    for (const user of [author, filesAuthor, changer, viewer])
      expect(await waiting(user)).toEqual([])
    const { counts, lastRuns } = (await viewer.get(url)).json()
    expect(counts).toEqual({
      workspaces: 1,
      pipelines: 1,
      runs: { live: 1, waiting: 1, failedLastDay: 0 },
    })
    expect(lastRuns).toMatchObject([
      {
        id: run.id,
        workspaceName: workspace.name,
        criticality: 'production',
        state: 'running',
        awaitingApproval: true,
        author: author.email,
        endedAt: null,
      },
    ])

    // A Deployer may not approve a commit of an unknown author.
    await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant).db('configuration_versions').update({ unknownAuthor: true }),
    )
    expect(await waiting(approver)).toEqual([])
    expect(await waiting(await org.user('SRE · Cloud Admin'))).toEqual([run.id])
  })

  test('200: the newest ten runs, failures of one day, and no data of another organization', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const workspace = await org.workspace({ by: owner })
    const place = { organizationId: org.id, workspaceId: workspace.id, authorUserId: owner.id }
    const ids: number[] = []
    for (let i = 0; i < 12; i += 1) {
      const { id } = await runInPhase(harness.deps, place, 'planning')
      ids.unshift(id)
      const endedAt = new Date(Date.now() - (i < 2 ? 25 : 1) * 3_600_000)
      await harness.deps.store.tenant(org.id, async (tenant) =>
        unwrap(tenant)
          .db('workspace_runs')
          .where({ id })
          // What a person decided is no failure.
          .update({ phase: 'failed', endedAt, reason: i === 11 ? 'rejected' : 'plan_errored' }),
      )
    }
    const { counts, lastRuns } = (await owner.get(url)).json()
    expect(counts.runs).toEqual({ live: 0, waiting: 0, failedLastDay: 9 })
    expect(lastRuns.map((run: { id: number }) => run.id)).toEqual(ids.slice(0, 10))

    const stranger = await (await harness.organization()).user('Owner')
    expect((await stranger.get(url)).json()).toMatchObject({ lastRuns: [], waitingForMe: [] })
  })

  test('401 and 200: a session or a token', async () => {
    const owner = await (await harness.organization()).user('Owner')
    expect((await harness.app.inject({ url })).statusCode).toBe(401)
    const headers = { authorization: `Bearer ${await owner.token('Viewer')}` }
    expect((await harness.app.inject({ url, headers })).json().user.role).toBe('Viewer')
  })
})
