import { afterAll, beforeAll, expect, test } from 'vitest'
import { unwrap } from '../../../store/driver/tenant.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'
import { applicationPipeline, applicationRun } from '../../harness/application-run.ts'
import { approvalWorld } from './approval-world.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness({ mail: 'unsent' })
})
afterAll(async () => harness.close())

const start = async (user: TestUser, path: string): Promise<number> =>
  (await user.post(path, {})).json().run.id

const change = async (org: TestOrganization, id: number, to: object) =>
  harness.deps.store.tenant(org.id, async (tenant) =>
    unwrap(tenant).db('workspace_runs').where({ id }).update(to),
  )

const phasesOf = async (org: TestOrganization, ids: readonly number[]) => {
  const rows = await harness.deps.store.tenant(org.id, async (tenant) =>
    unwrap(tenant)
      .db('workspace_runs')
      .whereIn('id', [...ids])
      .select('id', 'phase', 'reason', 'cancelRequestedBy'),
  )
  return ids.map((id) => rows.find((row) => row.id === id))
}

const entriesOf = async (org: TestOrganization, id: number): Promise<Array<[string, string]>> =>
  harness.deps.store.tenant(org.id, async (tenant) => {
    const rows = await unwrap(tenant)
      .db('audit_entries')
      .where({ targetKind: 'run', targetId: String(id) })
      .orderBy('id')
    return rows.map(({ event, detail }) => [event, detail?.comment])
  })

/** A waiting run of a production workspace, and a planning, a finished and a queued one of others. */
async function world() {
  const org = await harness.organization()
  const [author, second] = [await org.user('Deployer'), await org.user('Deployer')]
  const production = await org.workspace({ by: author, criticality: 'production' })
  const waiting = (await approvalWorld(harness).waitingRun(org, author, production)).id
  const queued = await start(author, `${production.url}/apply`)
  const standard = await org.workspace({ by: author })
  const planning = await start(author, `${standard.url}/plan`)
  await change(org, planning, { phase: 'planning' })
  const done = await start(author, `${standard.url}/plan`)
  await change(org, done, { phase: 'succeeded', endedAt: new Date() })
  return { org, author, second, waiting, queued, planning, done }
}

const good = (runId: number) => ({ runId, ok: true, code: null })
const bad = (runId: number, code: string) => ({ runId, ok: false, code })

test('200: cancels each that is live, and says why another is not', async () => {
  const { org, second, waiting, queued, planning, done } = await world()
  const runIds = [done, waiting, 2_000_000_000, planning, queued]

  const answer = await second.post('/api/runs/cancel', { runIds, comment: 'Freeze.' })

  expect(answer.statusCode, answer.body).toBe(200)
  expect(answer.json()).toEqual({
    ok: true,
    results: [
      bad(done, 'run_not_waiting'),
      good(waiting),
      bad(2_000_000_000, 'not_found'),
      good(planning),
      good(queued),
    ],
  })
  expect(await phasesOf(org, [waiting, queued, planning, done])).toMatchObject([
    { phase: 'canceled', reason: 'canceled_by_user' },
    // Before it got the turn of the one above.
    { phase: 'canceled', reason: 'canceled_by_user', cancelRequestedBy: second.id },
    // The worker that runs the program ends it.
    { phase: 'planning', cancelRequestedBy: second.id },
    { phase: 'succeeded', reason: null },
  ])
  for (const id of [waiting, queued, planning])
    expect(await entriesOf(org, id)).toContainEqual(['pipeline.cancel_requested', 'Freeze.'])
  expect(await entriesOf(org, queued)).toContainEqual(['pipeline.run_canceled', undefined])
  const again = await second.post('/api/runs/cancel', { runIds })
  expect(again.json().results.map(({ code }: { code: string }) => code)).toEqual([
    'run_not_waiting',
    'run_not_waiting',
    'not_found',
    null,
    'run_not_waiting',
  ])
})

test('200: rejects each that waits, with the comment', async () => {
  const { org, second, waiting, queued, done } = await world()
  const runIds = [waiting, queued, done]

  const answer = await second.post('/api/runs/reject', { runIds, comment: 'Not today' })

  expect(answer.json().results).toEqual([
    good(waiting),
    bad(queued, 'run_not_waiting'),
    bad(done, 'run_not_waiting'),
  ])
  expect(await phasesOf(org, [waiting, done])).toMatchObject([
    { phase: 'failed', reason: 'rejected' },
    { phase: 'succeeded' },
  ])
  expect(await entriesOf(org, waiting)).toContainEqual(['pipeline.run_rejected', 'Not today'])
})

test('200: two who cancel the same runs at once end each of them once', async () => {
  const { org, author, second, waiting, queued } = await world()
  const sent = await Promise.all([
    author.post('/api/runs/cancel', { runIds: [waiting, queued] }),
    second.post('/api/runs/cancel', { runIds: [queued, waiting] }),
  ])
  const results = sent.flatMap((answer) => answer.json().results)
  for (const id of [waiting, queued]) {
    const codes = results.filter(({ runId }) => runId === id).map(({ code }) => code)
    expect(codes).toHaveLength(2)
    expect(new Set(codes)).toEqual(new Set([null, 'run_not_waiting']))
    const ends = (await entriesOf(org, id)).filter(([event]) => event === 'pipeline.run_canceled')
    expect(ends).toHaveLength(1)
  }
})

/** A run that another pipeline of its workspace started, and one of an application. */
async function otherPlaces() {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const workspace = await org.workspace({ by: owner })
  const body = { name: 'nightly', kind: 'infrastructure', targetWorkspaceId: workspace.id }
  const made = await owner.post('/api/pipelines', body)
  expect(made.statusCode, made.body).toBe(201)
  const placed = await start(owner, `/api/pipelines/${made.json().pipeline.id}/run`)
  const [{ id: own }] = (await owner.get(`${workspace.url}/runs`)).json().runs
  const application = await applicationRun(harness.deps, org.id, {
    pipelineId: await applicationPipeline(harness.deps, org.id, workspace.id),
    origin: 'person',
    authorUserId: owner.id,
  })
  return { org, owner, placed, own, application: application.id }
}

const phaseOfApplication = async (pipelineRunId: number): Promise<string> =>
  (await harness.deps.store.platform('application_runs').where({ pipelineRunId }).first()).phase

test('200: cancels by each id that the service gives: of another pipeline, of an application', async () => {
  const { org, owner, placed, own, application } = await otherPlaces()
  expect(placed).not.toBe(own)
  const runIds = [placed, application]

  const answer = await owner.post('/api/runs/cancel', { runIds, comment: 'Freeze.' })

  expect(answer.json().results).toEqual([good(placed), good(application)])
  expect((await phasesOf(org, [own]))[0]?.phase).toMatch(/^(canceled|planning)$/)
  expect(await phaseOfApplication(application)).toBe('canceled')
  for (const id of [own, application])
    expect(await entriesOf(org, id)).toContainEqual(['pipeline.cancel_requested', 'Freeze.'])
  const stranger = await (await harness.organization()).user('Owner')
  expect((await stranger.post('/api/runs/cancel', { runIds })).json().results).toEqual([
    bad(placed, 'not_found'),
    bad(application, 'not_found'),
  ])
})

test('200: rejects by each id that the service gives', async () => {
  const { org, owner, placed, own, application } = await otherPlaces()
  await change(org, own, { phase: 'awaiting_approval', planDigest: 'sha256:0' })
  await harness.deps.store
    .platform('application_runs')
    .where({ pipelineRunId: application })
    .update({ phase: 'awaiting_approval', releaseDigest: 'sha256:0' })

  const answer = await owner.post('/api/runs/reject', { runIds: [placed, application] })

  expect(answer.json().results).toEqual([good(placed), good(application)])
  expect(await phasesOf(org, [own])).toMatchObject([{ phase: 'failed', reason: 'rejected' }])
  expect(await phaseOfApplication(application)).toBe('failed')
})

test('404 of each: a run of another organization is unknown, and goes on', async () => {
  const { org, waiting, queued } = await world()
  const stranger = await (await harness.organization()).user('Owner')
  for (const action of ['cancel', 'reject']) {
    const answer = await stranger.post(`/api/runs/${action}`, { runIds: [waiting, queued] })
    expect(answer.json().results).toEqual([bad(waiting, 'not_found'), bad(queued, 'not_found')])
  }
  expect((await phasesOf(org, [waiting, queued])).map((run) => run?.phase)).toEqual([
    'awaiting_approval',
    'queued',
  ])
})

test('400: no runs, more than 100, one twice; 403: a Viewer', async () => {
  const { org, author, waiting } = await world()
  const many = Array.from({ length: 101 }, (_, n) => n + 1)
  for (const body of [{}, { runIds: [] }, { runIds: many }, { runIds: [1, 1] }, { runIds: ['x'] }])
    for (const action of ['cancel', 'reject'])
      expect((await author.post(`/api/runs/${action}`, body)).statusCode).toBe(400)
  const viewer = await org.user('Viewer')
  for (const action of ['cancel', 'reject'])
    expect((await viewer.post(`/api/runs/${action}`, { runIds: [waiting] })).statusCode).toBe(403)
})
