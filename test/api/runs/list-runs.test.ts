import { afterAll, beforeAll, expect, test } from 'vitest'
import { workspaceRuns } from '../../../store/runs/workspace-runs.ts'
import { unwrap } from '../../../store/driver/tenant.ts'
import { countStatements } from '../../harness/count-statements.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestOrganization, TestWorkspace } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'
import { approvalWorld } from './approval-world.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness({ mail: 'unsent' })
})
afterAll(async () => harness.close())

const url = '/api/runs'
const idsOf = async (user: TestUser, query = '') => {
  const answer = await user.get(`${url}?${query}`)
  expect(answer.statusCode, `${query}: ${answer.body}`).toBe(200)
  return answer.json().runs.map(({ id }: { id: number }) => id)
}

const ended = async (org: TestOrganization, id: number, change: object) =>
  harness.deps.store.tenant(org.id, async (tenant) =>
    unwrap(tenant).db('workspace_runs').where({ id }).update(change),
  )

const start = async (user: TestUser, path: string, body = {}): Promise<number> => {
  const started = await user.post(path, body)
  expect(started.statusCode, started.body).toBe(201)
  return started.json().run.id
}

/** Two workspaces with a failed, a succeeded, a queued, a plan-only and a waiting run. */
async function world() {
  const org = await harness.organization()
  const [owner, author, second] = [
    await org.user('Owner'),
    await org.user('Deployer'),
    await org.user('Deployer'),
  ]
  const shop = await org.workspace({ by: author })
  const data = await org.workspace({ by: author, criticality: 'production' })
  const failed = await start(author, `${shop.url}/apply`, { message: 'First 100% try' })
  await ended(org, failed, { phase: 'failed', reason: 'plan_errored', endedAt: new Date() })
  const succeeded = await start(second, `${shop.url}/apply`)
  await ended(org, succeeded, { phase: 'succeeded', endedAt: new Date() })
  const planned = await start(owner, `${shop.url}/plan`)
  const waiting = (await approvalWorld(harness).waitingRun(org, author, data)).id
  const queued = await start(author, `${data.url}/apply`)
  return { org, owner, author, second, shop, data, failed, succeeded, planned, waiting, queued }
}

test('200: the runs of all workspaces, newest first, each with its place', async () => {
  const { owner, shop, data, failed, succeeded, planned, waiting, queued } = await world()
  const { runs, nextCursor } = (await owner.get(url)).json()
  expect(runs.map(({ id }: { id: number }) => id)).toEqual([
    queued,
    waiting,
    planned,
    succeeded,
    failed,
  ])
  expect(nextCursor).toBeNull()
  const place = ({ id, name }: TestWorkspace, criticality: string) => ({ id, name, criticality })
  expect(runs[1]).toMatchObject({
    number: 1,
    pipelineId: data.pipelineId,
    workspace: place(data, 'production'),
    awaitingApproval: true,
  })
  expect(runs[2]).toMatchObject({
    kind: 'plan',
    number: null,
    pipelineId: null,
    workspace: place(shop, 'standard'),
  })
})

test('200: filters', async () => {
  const { owner, author, second, shop, data, ...runs } = await world()
  const { failed, succeeded, planned, waiting, queued } = runs
  const all = [queued, waiting, planned, succeeded, failed]
  const cases: Array<[string, number[]]> = [
    ['state=failed', [failed]],
    ['state=failed&state=succeeded', [succeeded, failed]],
    ['state=running', [queued, waiting, planned]],
    ['reason=plan_errored', [failed]],
    ['awaitingApproval=true', [waiting]],
    ['awaitingApproval=false&state=running', [queued, planned]],
    ['awaitingApproval=true&state=failed', []],
    ['kind=plan', [planned]],
    [`workspaceId=${shop.id}`, [planned, succeeded, failed]],
    [`pipelineId=${data.pipelineId}`, [queued, waiting]],
    [`author=${second.id}`, [succeeded]],
    [`author=${second.id}&author=${owner.id}`, [planned, succeeded]],
    ['origin=push', []],
    ['origin=person', all],
    [`q=${encodeURIComponent(data.name.toUpperCase())}`, [queued, waiting]],
    ['q=100%25', [failed]],
    ['q=_', []],
    ['from=2100-01-01', []],
    ['to=2020-01-01T00:00:00Z', []],
    [`from=2020-01-01&to=2100-01-01`, all],
    ['endedFrom=2100-01-01', []],
    ['endedFrom=2020-01-01', [succeeded, failed]],
    ['endedFrom=2020-01-01&state=failed', [failed]],
    ['sort=-createdAt', all],
    ['sort=createdAt', all.toReversed()],
    [`sort=createdAt&q=${data.name}&kind=apply`, [waiting, queued]],
    // A text of a message and of a name: each run once, in one order.
    [`q=T&limit=4`, (await idsOf(author, 'q=t')).slice(0, 4)],
    [`q=${shop.name}&workspaceId=${data.id}`, []],
    [`q=${shop.name}&state=failed`, [failed]],
  ]
  for (const [query, expected] of cases) expect(await idsOf(author, query), query).toEqual(expected)
})

test('200: how runs ended, with what a person or a policy decided apart from failures', async () => {
  const { org, author, shop, data, failed, succeeded } = await world()
  const stopped: Record<string, number> = {}
  for (const [reason, phase] of [
    ['policy_denied', 'failed'],
    ['cost_unknown', 'failed'],
    ['rejected', 'failed'],
    ['approval_expired', 'failed'],
    ['plan_stale', 'failed'],
    ['superseded', 'canceled'],
    ['canceled_by_user', 'canceled'],
  ] as const) {
    const id = await start(author, `${shop.url}/apply`)
    await ended(org, id, { phase, reason, endedAt: new Date() })
    stopped[reason] = id
  }
  const of = (...reasons: string[]) => reasons.map((reason) => stopped[reason])
  const cases: Array<[string, Array<number | undefined>]> = [
    ['outcome=failed', [failed]],
    ['outcome=succeeded', [succeeded]],
    ['outcome=canceled', of('canceled_by_user')],
    ['outcome=denied', of('cost_unknown', 'policy_denied')],
    ['outcome=rejected', of('rejected')],
    ['outcome=expired', of('approval_expired')],
    ['outcome=out_of_date', of('superseded', 'plan_stale')],
    ['outcome=rejected&outcome=failed', [...of('rejected'), failed]],
    ['outcome=out_of_date&state=canceled', of('superseded')],
    ['outcome=rejected&state=running', []],
    [`outcome=rejected&workspaceId=${data.id}`, []],
  ]
  for (const [query, expected] of cases) expect(await idsOf(author, query), query).toEqual(expected)
  expect((await author.get(`${url}?outcome=broken`)).statusCode).toBe(400)
})

test('200: mine are those that I may approve', async () => {
  const { org, owner, author, second, waiting } = await world()
  expect(await idsOf(second, 'mine=true')).toEqual([waiting])
  expect(await idsOf(second, 'mine=true&awaitingApproval=true')).toEqual([waiting])
  expect(await idsOf(second, 'mine=true&awaitingApproval=false')).toEqual([])
  expect(await idsOf(second, 'mine=true&state=succeeded')).toEqual([])
  expect(await idsOf(owner, 'mine=true')).toEqual([waiting])
  expect(await idsOf(author, 'mine=true')).toEqual([])
  expect(await idsOf(await org.user('Viewer'), 'mine=true')).toEqual([])
  await harness.deps.store.tenant(org.id, async (tenant) =>
    workspaceRuns(tenant).patch(waiting, { approvalReasons: ['confirm'] }),
  )
  // The workspace is a production one: a confirmation alone is not enough.
  expect(await idsOf(author, 'mine=true')).toEqual([])
})

test('200: a run that another pipeline started is found by both, once', async () => {
  const { owner, shop } = await world()
  const body = { name: `more-${shop.name}`, kind: 'infrastructure', targetWorkspaceId: shop.id }
  const { id: pipelineId } = (await owner.post('/api/pipelines', body)).json().pipeline
  const started = await owner.post(`/api/pipelines/${pipelineId}/run`, {})
  expect(started.statusCode, started.body).toBe(201)
  const [found] = await idsOf(owner, `pipelineId=${pipelineId}`)
  expect(await idsOf(owner, `pipelineId=${shop.pipelineId}&limit=1`)).toEqual([found])
  expect(await idsOf(owner, `pipelineId=${pipelineId}&pipelineId=${shop.pipelineId}`)).toHaveLength(
    3,
  )
})

test('200: pages follow each other, and a longer page takes no more statements', async () => {
  const { owner, shop } = await world()
  for (const query of ['', 'sort=createdAt&', `q=${shop.name}&`]) {
    const all = await idsOf(owner, query)
    expect(all.length, query).toBeGreaterThan(2)
    const pages: number[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const answer = await owner.get(`${url}?${query}limit=2${cursor && `&cursor=${cursor}`}`)
      const { runs, nextCursor }: { runs: Array<{ id: number }>; nextCursor: string | null } =
        answer.json()
      pages.push(...runs.map(({ id }) => id))
      cursor = nextCursor
    }
    expect(pages, query).toEqual(all)
  }
  const counted = async (limit: number) =>
    (await countStatements(async () => owner.get(`${url}?limit=${limit}`))).statements.length
  // The first two runs are one that waits for its turn and one for its approval.
  expect(await counted(5)).toBe(await counted(2))
})

test('400: an unknown filter, a value that is none, a time that is none', async () => {
  const owner = await (await harness.organization()).user('Owner')
  for (const query of [
    'bogus=1',
    'state=paused',
    'workspaceId=0',
    'from=yesterday',
    'endedFrom=2026-02-31',
    'q=',
    'limit=0',
    'sort=name',
  ])
    expect((await owner.get(`${url}?${query}`)).statusCode, query).toBe(400)
})

test('400: a search that takes too long says how to narrow it', async () => {
  const { org, owner } = await world()
  await harness.deps.store.tenant(org.id, async (tenant) => {
    // Until the end of this transaction, nobody can read a run.
    await unwrap(tenant).db.raw('lock table workspace_runs in access exclusive mode')
    const answer = await owner.get(`${url}?q=some`)
    expect(answer.statusCode).toBe(400)
    expect(answer.json()).toEqual({
      error: 'The search took too long. Narrow it, by a workspace, a state or a time.',
      code: 'search_too_broad',
    })
  })
})

test('200: nothing of another organization', async () => {
  const { org, shop, data, author } = await world()
  const stranger = await (await harness.organization()).user('Owner')
  for (const query of [
    '',
    `workspaceId=${shop.id}`,
    `pipelineId=${data.pipelineId}`,
    `author=${author.id}`,
    `q=${org.slug}`,
    'mine=true',
  ])
    expect(await idsOf(stranger, query), query).toEqual([])
})

test('200: of several runs each gate has its first findings, and the run itself has all', async () => {
  const { org, owner, shop, failed } = await world()
  const findings = Array.from({ length: 200 }, (_, at) => ({
    level: 'deny',
    message: `bucket ${at} is public`,
  }))
  await ended(org, failed, {
    gates: JSON.stringify([{ kind: 'policy', result: 'fail', findings }]),
  })
  type Listed = { id: number; stages: Array<{ gates?: Array<{ findings: unknown[] }> }> }
  const findingsOf = (run?: Listed) =>
    run?.stages.flatMap(({ gates = [] }) => gates.flatMap((gate) => gate.findings)) ?? []
  for (const list of [url, `/api/pipelines/${shop.pipelineId}/runs`, `${shop.url}/runs`]) {
    const runs: Listed[] = (await owner.get(list)).json().runs
    const listed = findingsOf(runs.find(({ id }) => id === failed))
    expect(listed.slice(0, 2), list).toEqual(findings.slice(0, 2))
    expect(Buffer.byteLength(JSON.stringify(listed))).toBeLessThan(2_200)
    expect(listed.at(-1)).toEqual({
      message: 'The run itself has more findings than this list.',
    })
  }
  const detail = await owner.get(`${shop.url}/runs/${failed}`)
  expect(findingsOf(detail.json().run)).toEqual(findings)
})
