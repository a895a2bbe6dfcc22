import { afterAll, beforeAll, expect, test } from 'vitest'
import { applicationPipeline, applicationRun } from '../../harness/application-run.ts'
import { countStatements } from '../../harness/count-statements.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { deployActivities, deployWorld } from '../../harness/deploy/deploy-world.ts'
import type { TestUser } from '../../harness/test-user.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness({ mail: 'unsent' })
})
afterAll(async () => harness.close())

const url = '/api/runs'
const idsOf = async (user: TestUser, query = ''): Promise<number[]> => {
  const answer = await user.get(`${url}?${query}`)
  expect(answer.statusCode, `${query}: ${answer.body}`).toBe(200)
  return answer.json().runs.map(({ id }: { id: number }) => id)
}
const set = async (id: number, change: object) =>
  harness.deps.store.platform('application_runs').where({ pipelineRunId: id }).update(change)

/**
 * Of a pipeline with a production target: a run that failed, one of a push that succeeded, and one that waits for a
 * second person; before that one a run of the target workspace. Of a pipeline without a target: a queued run.
 */
async function world() {
  const app = await deployWorld(harness, { criticality: 'production' })
  const { org, workspaceId, pipelineId } = app
  // The owner's files are applied: else the owner is an author of the first release to this workspace.
  await harness.deps.store
    .platform('workspace_authorship')
    .where({ workspaceId })
    .update({ appliedAt: new Date() })
  const [author, second] = [await org.user('Deployer'), await org.user('Deployer')]
  const loose = await applicationPipeline(harness.deps, org.id)
  const place = { pipelineId, origin: 'person', authorUserId: author.id } as const
  const run = async (more: Partial<Parameters<typeof applicationRun>[2]>) =>
    (await applicationRun(harness.deps, org.id, { ...place, ...more })).id
  const failed = await run({ startMessage: 'First 100% try' })
  await set(failed, { phase: 'failed', reason: 'build_errored', endedAt: new Date() })
  const pushed = await run({ origin: 'push', authorUserId: null })
  await set(pushed, { phase: 'succeeded', endedAt: new Date() })
  const started = await author.post(`/api/workspaces/${workspaceId}/apply`, {})
  expect(started.statusCode, started.body).toBe(201)
  const applied: number = started.json().run.id
  const waiting = (await app.built({ by: author })).id
  const queued = await run({ pipelineId: loose, authorUserId: second.id })
  return { ...app, author, second, loose, failed, pushed, applied, waiting, queued }
}

test('200: runs of applications stand among those of workspaces, as their pipelines list them', async () => {
  const { owner, workspaceId, pipelineId, loose, ...runs } = await world()
  const { failed, pushed, applied, waiting, queued } = runs
  const { runs: listed, nextCursor } = (await owner.get(url)).json()
  const ids = listed.map(({ id }: { id: number }) => id)
  expect(ids).toEqual([queued, waiting, applied, pushed, failed])
  expect(nextCursor).toBeNull()
  const { workspace } = (await owner.get(`/api/workspaces/${workspaceId}`)).json()
  const target = { id: workspaceId, name: workspace.name, criticality: 'production' }
  for (const [shown, id, at] of [
    [listed[0], loose, null],
    [listed[1], pipelineId, target],
    [listed[2], workspace.pipelineId, target],
  ]) {
    const own = (await owner.get(`/api/pipelines/${id}/runs`)).json().runs
    const { name } = (await owner.get(`/api/pipelines/${id}`)).json().pipeline
    const run = own.find((one: { id: number }) => one.id === shown.id)
    expect(shown).toEqual({ ...run, pipelineId: id, pipeline: { id, name }, workspace: at })
  }
  expect(listed[1]).toMatchObject({ kind: 'application', number: 3, awaitingApproval: true })
})

test('200: each filter finds runs of both kinds', async () => {
  const all = await world()
  const { owner, author, second, workspaceId, pipelineId, loose } = all
  const { failed, pushed, applied, waiting, queued } = all
  const { workspace } = (await owner.get(`/api/workspaces/${workspaceId}`)).json()
  const { pipeline } = (await owner.get(`/api/pipelines/${loose}`)).json()
  for (const [path, labels] of [
    [`/api/workspaces/${workspaceId}`, { tier: 'one' }],
    [`/api/pipelines/${loose}`, { tier: 'two' }],
  ] as const)
    expect((await owner.patch(path, { labels })).statusCode, path).toBe(200)
  const cases: Array<[string, number[]]> = [
    ['kind=application', [queued, waiting, pushed, failed]],
    ['kind=infrastructure', [applied]],
    ['kind=apply', [applied]],
    ['kind=plan', []],
    ['kind=plan&kind=application', [queued, waiting, pushed, failed]],
    ['kind=infrastructure&kind=application', [queued, waiting, applied, pushed, failed]],
    ['state=running', [queued, waiting, applied]],
    ['state=failed&state=succeeded', [pushed, failed]],
    ['reason=build_errored', [failed]],
    ['outcome=failed', [failed]],
    ['outcome=failed&state=running', []],
    ['awaitingApproval=true', [waiting]],
    ['awaitingApproval=true&state=failed', []],
    ['awaitingApproval=false&state=running', [queued, applied]],
    [`workspaceId=${workspaceId}`, [waiting, applied, pushed, failed]],
    [`pipelineId=${pipelineId}`, [waiting, pushed, failed]],
    [`pipelineId=${loose}&pipelineId=${workspace.pipelineId}`, [queued, applied]],
    [`author=${author.id}`, [waiting, applied, failed]],
    [`author=${second.id}&kind=application`, [queued]],
    ['origin=push', [pushed]],
    ['origin=drift', []],
    ['label=tier%3Done', [waiting, applied, pushed, failed]],
    ['label=tier%3Dtwo', [queued]],
    ['label=tier%3Done&label=tier%3Dtwo', [queued, waiting, applied, pushed, failed]],
    [`label=tier%3Dtwo&pipelineId=${pipelineId}`, []],
    [`label=tier%3Done&pipelineId=${pipelineId}`, [waiting, pushed, failed]],
    [`q=${workspace.name.toUpperCase()}`, [waiting, applied, pushed, failed]],
    [`q=${pipeline.name}`, [queued]],
    [`q=${pipeline.name}&pipelineId=${pipelineId}`, []],
    [`q=${pipeline.name}&kind=apply`, []],
    ['q=100%25', [failed]],
    ['q=first&sort=createdAt', [failed]],
    ['to=2020-01-01T00:00:00Z', []],
    ['from=2020-01-01&to=2100-01-01', [queued, waiting, applied, pushed, failed]],
    ['endedFrom=2020-01-01', [pushed, failed]],
    ['sort=createdAt', [failed, pushed, applied, waiting, queued]],
  ]
  for (const [query, expected] of cases) expect(await idsOf(owner, query), query).toEqual(expected)
  expect((await owner.get(`${url}?kind=release`)).statusCode).toBe(400)
})

test('200: mine has the releases that I may approve', async () => {
  const { org, owner, author, second, waiting, pipelineId } = await world()
  expect(await idsOf(second, 'mine=true')).toEqual([waiting])
  expect(await idsOf(owner, 'mine=true&kind=application')).toEqual([waiting])
  expect(await idsOf(owner, 'mine=true&kind=infrastructure')).toEqual([])
  expect(await idsOf(owner, 'mine=true&awaitingApproval=false')).toEqual([])
  expect(await idsOf(author, 'mine=true')).toEqual([])
  expect(await idsOf(await org.user('Viewer'), 'mine=true')).toEqual([])
  const approved = await second.post(`/api/pipelines/${pipelineId}/runs/${waiting}/approve`, {})
  expect(approved.statusCode, approved.body).toBe(200)
  expect(await idsOf(owner, 'mine=true')).toEqual([])
})

test('200: a deployment that stops between two steps waits for a person', async () => {
  const app = await deployWorld(harness)
  const { owner, hosts } = app
  for (const name of ['a', 'b', 'c']) await hosts.add(name)
  const deploy =
    'strategy: c\nstrategies: { c: { kind: canary, steps: [30, 60, 100], confirm: each } }'
  const run = await app.built({ deploy })
  await deployActivities(harness).deploy(run, hosts)
  expect(await run.shown()).toMatchObject({ state: 'running', awaitingApproval: true })
  for (const query of ['awaitingApproval=true', 'mine=true', 'state=running'])
    expect(await idsOf(owner, query), query).toEqual([run.id])
  expect(await idsOf(owner, 'awaitingApproval=false')).toEqual([])
  expect((await owner.get('/api/console/data')).json()).toMatchObject({
    counts: { runs: { live: 1, waiting: 1 } },
    waitingForMe: [{ id: run.id, state: 'running', awaitingApproval: true, queued: false }],
  })
})

test('200: pages of both kinds follow each other without loss or doubling', async () => {
  const { owner, author, org, workspaceId, pipelineId } = await world()
  for (let n = 0; n < 3; n += 1) {
    const run = { pipelineId, origin: 'person', authorUserId: author.id } as const
    await applicationRun(harness.deps, org.id, run)
    await author.post(`/api/workspaces/${workspaceId}/plan`, {})
  }
  for (const query of ['', 'sort=createdAt&', `workspaceId=${workspaceId}&`, 'q=s&', 'q=p&']) {
    const all = await idsOf(owner, query)
    expect(all.length, query).toBeGreaterThan(5)
    expect(new Set(all).size, query).toBe(all.length)
    for (const limit of [1, 2, 3]) {
      const pages: number[] = []
      for (let cursor: string | null = ''; cursor !== null;) {
        const page = `${url}?${query}limit=${limit}${cursor && `&cursor=${cursor}`}`
        const answer: { runs: Array<{ id: number }>; nextCursor: string | null } = (
          await owner.get(page)
        ).json()
        pages.push(...answer.runs.map(({ id }) => id))
        cursor = answer.nextCursor
      }
      expect(pages, `${query}limit=${limit}`).toEqual(all)
    }
  }
  const counted = async (limit: number) =>
    (await countStatements(async () => owner.get(`${url}?kind=application&limit=${limit}`)))
      .statements.length
  // Both have one that waits, and one that is queued.
  expect(await counted(7)).toBe(await counted(5))
})

test('200: nothing of another organization', async () => {
  const { workspaceId, pipelineId, author } = await world()
  const stranger = await (await harness.organization()).user('Owner')
  for (const query of [
    '',
    'kind=application',
    'mine=true',
    'awaitingApproval=true',
    'q=app',
    'q=First',
    `workspaceId=${workspaceId}`,
    `pipelineId=${pipelineId}`,
    `author=${author.id}`,
  ])
    expect(await idsOf(stranger, query), query).toEqual([])
})
