import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectOwner } from '../../../store/driver/connect.ts'
import { unwrap } from '../../../store/driver/tenant.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestOrganization, TestWorkspace } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness({ mail: 'unsent' })
})
afterAll(async () => harness.close())

const url = '/api/runs/history'
const dayMs = 86_400_000
const noon = (daysAgo: number) =>
  Math.floor(Date.now() / dayMs) * dayMs - daysAgo * dayMs + dayMs / 2
const dayOf = (daysAgo: number) => new Date(noon(daysAgo)).toISOString().slice(0, 10)

type Past = {
  daysAgo: number
  phase: string
  /** Seconds. */
  waited?: number
  lasted?: number
  summary?: object
  kind?: 'plan'
  reason?: string
}

async function past(org: TestOrganization, by: TestUser, of: TestWorkspace, run: Past) {
  const { daysAgo, phase, waited = 2, lasted = 60, summary, kind, reason = null } = run
  const started = await by.post(`${of.url}/${kind ?? 'apply'}`, {})
  expect(started.statusCode, started.body).toBe(201)
  const { id } = started.json().run
  const createdMs = noon(daysAgo)
  await harness.deps.store.tenant(org.id, async (tenant) =>
    unwrap(tenant)
      .db('workspace_runs')
      .where({ id })
      .update({
        phase,
        reason,
        createdAt: new Date(createdMs),
        startedAt: new Date(createdMs + waited * 1_000),
        endedAt: new Date(createdMs + lasted * 1_000),
        ...(summary && { summary }),
      }),
  )
}

test('200: what ended each day, its medians and its changes, of all or of one workspace', async () => {
  const [org, others] = [await harness.organization(), await harness.organization()]
  const stranger = await others.user('Deployer')
  const theirs = await others.workspace({ by: stranger })
  await past(others, stranger, theirs, { daysAgo: 1, phase: 'succeeded', summary: { add: 99 } })
  const author = await org.user('Deployer')
  const [shop, data] = [await org.workspace({ by: author }), await org.workspace({ by: author })]
  const summary = { add: 2, change: 1, destroy: 4 }
  await past(org, author, shop, { daysAgo: 1, phase: 'succeeded', lasted: 10, summary })
  await past(org, author, shop, { daysAgo: 1, phase: 'succeeded', lasted: 90, waited: 30, summary })
  await past(org, author, data, { daysAgo: 1, phase: 'succeeded', lasted: 500, waited: 40 })
  await past(org, author, data, { daysAgo: 1, phase: 'failed', reason: 'plan_errored', summary })
  // What a person or a policy decided, and what a newer push overtook, are no failures.
  await past(org, author, data, { daysAgo: 1, phase: 'failed', reason: 'rejected' })
  await past(org, author, data, { daysAgo: 1, phase: 'failed', reason: 'policy_denied' })
  await past(org, author, data, { daysAgo: 1, phase: 'canceled', reason: 'superseded' })
  await past(org, author, data, { daysAgo: 6, phase: 'canceled' })
  // A plan changes nothing, whatever it says.
  await past(org, author, data, { daysAgo: 6, phase: 'succeeded', kind: 'plan', summary })
  await past(org, author, data, { daysAgo: 8, phase: 'failed' })
  // One that lives has not ended.
  expect((await author.post(`${shop.url}/apply`, {})).statusCode).toBe(201)

  const viewer = await org.user('Viewer')
  const days = async (query: string) => {
    const answer = await viewer.get(`${url}?${query}`)
    expect(answer.statusCode, answer.body).toBe(200)
    return answer.json().days as Array<{ day: string; succeeded: number }>
  }
  const week = await days('days=7')
  expect(week.map(({ day }) => day)).toEqual([6, 5, 4, 3, 2, 1, 0].map(dayOf))
  expect(week[0]).toEqual({
    day: dayOf(6),
    succeeded: 1,
    failed: 0,
    canceled: 1,
    stopped: 0,
    leadSeconds: null,
    waitSeconds: 2,
    changes: 0,
  })
  expect(week[5]).toEqual({
    day: dayOf(1),
    succeeded: 3,
    failed: 1,
    canceled: 0,
    stopped: 3,
    leadSeconds: 90,
    waitSeconds: 2,
    changes: 14,
  })
  expect(week[6]).toMatchObject({ succeeded: 0, failed: 0, leadSeconds: null, waitSeconds: null })
  const one = await days(`days=7&workspaceId=${shop.id}`)
  expect(one[5]).toMatchObject({ succeeded: 2, failed: 0, leadSeconds: 10, changes: 14 })
  expect(await days('')).toHaveLength(30)
  expect((await days('days=1')).map(({ day }) => day)).toEqual([dayOf(0)])
})

test('400 and 404: a window beyond its bounds, another organization’s workspace', async () => {
  const [org, others] = [await harness.organization(), await harness.organization()]
  const viewer = await org.user('Viewer')
  const theirs = await others.workspace()
  for (const query of ['days=0', 'days=91', 'days=x', 'workspaceId=0', 'day=7'])
    expect((await viewer.get(`${url}?${query}`)).statusCode, query).toBe(400)
  const answer = await viewer.get(`${url}?workspaceId=${theirs.id}`)
  expect(answer.statusCode).toBe(404)
  expect(answer.json()).toEqual({ error: 'Not found', code: 'not_found' })
})

test('the window is read from its index alone', async () => {
  const org = await harness.organization()
  const author = await org.user('Deployer')
  const workspace = await org.workspace({ by: author })
  await past(org, author, workspace, { daysAgo: 1, phase: 'succeeded' })
  const owner = connectOwner(harness.config.databaseUrl)
  await owner.raw(
    `insert into workspace_runs (organization_id, workspace_id, kind, phase, configuration_version_id, origin, author_user_id,
       created_at, started_at, ended_at)
     select organization_id, workspace_id, kind, phase, configuration_version_id, origin, author_user_id,
       created_at - n * interval '1 hour', started_at - n * interval '1 hour', ended_at - n * interval '1 hour'
     from workspace_runs r, generate_series(1, 5000) n where organization_id = ?`,
    [org.id],
  )
  // Which index is the cheapest of an empty table says nothing.
  await owner.raw('vacuum analyze workspace_runs')
  await owner.destroy()
  const plan = await harness.deps.store.tenant(org.id, async (tenant) => {
    const { rows } = await unwrap(tenant).db.raw(
      // As the statement has it (store/runs/run-history.ts).
      `explain select (ended_at at time zone 'UTC')::date, sum(changes) filter (where phase = 'succeeded' and kind = 'apply'),
         max(started_at - created_at), max(reason)
       from workspace_runs where organization_id = ? and ended_at >= now() - interval '30 days' group by 1`,
      [org.id],
    )
    return rows.map((row: Record<string, string>) => row['QUERY PLAN']).join('\n')
  })
  expect(plan).toMatch(/Index Only Scan using workspace_runs_history/)
})
