import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { logLines } from '../../../store/runs/log-lines.ts'
import { stages } from '../../../store/runs/stages.ts'
import type { PipelineRun } from '../../../store/runs/pipeline-runs.ts'
import { applicationPipeline, applicationRun } from '../../harness/application-run.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestOrganization, TestWorkspace } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'

// Written to the store, so that no worker takes them.
describe('runs of an application, which have no workspace run', () => {
  let harness: Harness
  let org: TestOrganization
  let owner: TestUser
  let target: TestWorkspace
  let pipelineId: number
  let place: PipelineRun
  let url: string
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())
  beforeEach(async () => {
    org = await harness.organization()
    owner = await org.user('Owner')
    target = await org.workspace({ by: owner })
    pipelineId = await applicationPipeline(harness.deps, org.id, target.id)
    place = await applicationRun(harness.deps, org.id, {
      pipelineId,
      origin: 'person',
      authorUserId: owner.id,
      startMessage: 'try it',
      branch: 'main',
    })
    url = `/api/pipelines/${pipelineId}/runs/${place.id}`
  })

  /** As a worker would leave it. */
  const set = async (change: Record<string, string>) => {
    const columns = Object.keys(change).map((name) => `${name} = :${name}`)
    await harness.deps.store.platform.raw(
      `update application_runs set ${columns.join(', ')} where pipeline_run_id = :id`,
      { ...change, id: place.id },
    )
  }
  const sha = 'a'.repeat(40)

  test('200: list, detail and pipeline show the same run with its three stages', async () => {
    await set({ commit_sha: sha, commit_message: 'first', commit_author: 'Ann <ann@x.example>' })
    const run = {
      id: place.id,
      number: 1,
      kind: 'application',
      state: 'running',
      awaitingApproval: false,
      workspaceId: target.id,
      message: 'try it',
      origin: { kind: 'person', id: owner.id },
      author: { id: owner.id, label: owner.email },
      configurationVersion: null,
      configurationSha256: null,
      summary: null,
      cost: null,
      commitSha: sha,
      commit: { sha, branch: 'main', message: 'first', author: 'Ann <ann@x.example>', at: null },
      trigger: { kind: 'manual' },
      workflowId: `org-${org.id}/app-run/${place.id}`,
      blockedBy: { kind: 'capacity', whoCanAct: [] },
    }
    const detail = (await owner.get(url)).json().run
    expect(detail).toMatchObject({ ...run, plan: null, estimate: null, anomalies: [] })
    expect(detail.stages.map(({ name, state }: StageBody) => [name, state])).toEqual([
      ['source', 'queued'],
      ['build', 'pending'],
      ['deploy', 'pending'],
    ])
    const list = (await owner.get(`/api/pipelines/${pipelineId}/runs`)).json()
    expect(list).toMatchObject({ runs: [run], nextCursor: null })
    const shown = (await owner.get(`/api/pipelines/${pipelineId}`)).json()
    expect(shown.runs).toMatchObject([{ ...run, logs: { source: [], build: [], deploy: [] } }])
    expect(shown.pipeline.lastRun).toEqual({ number: 1, state: 'running' })
    const { pipelines } = (await owner.get('/api/pipelines')).json()
    const listed = pipelines.find(({ id }: { id: number }) => id === pipelineId)
    expect(listed).toEqual(shown.pipeline)
    expect((await owner.get(`${url}/plan`)).json()).toEqual({ plan: null })
  })

  test('200: lines hang on the stages of the run, and a stream ends with the run', async () => {
    await harness.deps.store.tenant(org.id, async (tenant) => {
      const [source] = await stages(tenant).ofRuns([place])
      await logLines(tenant).append(source?.id ?? 0, [{ level: 'info', line: 'fetching' }])
    })
    const lines = [{ seq: 1, level: 'info', line: 'fetching' }]
    expect((await owner.get(`${url}/logs`)).json()).toEqual({ lines, nextSeq: 1 })
    expect((await owner.get(`${url}/logs?stage=deploy`)).json()).toEqual({ lines: [], nextSeq: 0 })
    expect((await owner.get(`${url}/logs?stage=plan`)).statusCode).toBe(400)
    const shown = (await owner.get(`/api/pipelines/${pipelineId}`)).json()
    expect(shown.runs[0].logs.source).toEqual(lines)
    await set({ phase: 'failed', reason: 'source_errored' })
    const response = await fetch(`${harness.config.baseUrl}${url}/logs`, {
      headers: { accept: 'text/event-stream', cookie: `cc_session=${owner.cookie}` },
    })
    expect(await response.text()).toBe(
      `id: 1\nevent: line\ndata: ${JSON.stringify(lines[0])}\n\nevent: end\ndata: {"nextSeq":1}\n\n`,
    )
  })

  test('409: a start without a source, and a decision on a run that waits for none', async () => {
    const start = await owner.post(`/api/pipelines/${pipelineId}/run`, {})
    expect([start.statusCode, start.json().code]).toEqual([409, 'source_unknown'])
    for (const act of ['approve', 'reject']) {
      const answer = await owner.post(`${url}/${act}`, {})
      expect([answer.statusCode, answer.json().code], act).toEqual([409, 'run_not_waiting'])
    }
    expect((await owner.get(url)).json().run).toMatchObject({
      mayApprove: false,
      mayReject: false,
      mayCancel: true,
      because: { mayApprove: 'run_not_waiting', mayReject: 'run_not_waiting' },
    })
    const viewer = await org.user('Viewer')
    expect((await viewer.get(url)).json().run.because.mayCancel).toBe('forbidden')
  })

  test.each(['queued', 'sourcing', 'building'])(
    '200: a run that is %s is canceled once; 404, 403 and 409 for others, a Viewer and again',
    async (phase) => {
      await set({ phase })
      const stranger = await (await harness.organization()).user('Owner')
      expect((await stranger.post(`${url}/cancel`, {})).statusCode).toBe(404)
      expect((await (await org.user('Viewer')).post(`${url}/cancel`, {})).statusCode).toBe(403)
      const answer = await owner.post(`${url}/cancel`, {})
      expect(answer.statusCode, answer.body).toBe(200)
      expect(answer.json().run).toMatchObject({
        state: 'canceled',
        reason: 'canceled_by_user',
        mayCancel: false,
        because: { mayCancel: 'run_not_waiting' },
      })
      const states = answer.json().run.stages.map(({ state }: StageBody) => state)
      expect(new Set(states).has('running'), states.join()).toBe(false)
      const again = await owner.post(`${url}/cancel`, {})
      expect([again.statusCode, again.json().code]).toEqual([409, 'run_not_waiting'])
      const { entries } = (await owner.get('/api/audit')).json()
      expect(
        entries.filter((one: { event: string }) => one.event === 'pipeline.run_canceled'),
      ).toMatchObject([{ target: { kind: 'run', id: place.id, run: { pipelineId, number: 1 } } }])
      const { rows } = await harness.deps.store.platform.raw(
        `select kind, workflow_id from outbox where organization_id = ?`,
        [org.id],
      )
      expect(rows).toContainEqual({
        kind: 'signal',
        workflow_id: `org-${org.id}/app-run/${place.id}`,
      })
    },
  )

  test('200: a run that nobody picked up says so; one that ended is blocked by nothing', async () => {
    await set({ created_at: '2026-01-01T00:00:00Z' })
    expect((await owner.get(url)).json().run.blockedBy).toMatchObject({ kind: 'engine' })
    await set({ phase: 'awaiting_approval', engine_run_id: 'x' })
    expect((await owner.get(url)).json().run).toMatchObject({
      awaitingApproval: true,
      blockedBy: { kind: 'approval', id: place.id, whoCanAct: [] },
    })
    await set({ phase: 'succeeded' })
    expect((await owner.get(url)).json().run).toMatchObject({ state: 'succeeded', blockedBy: null })
  })

  test('404: the run is in its own pipeline and organization alone', async () => {
    const stranger = await (await harness.organization()).user('Owner')
    for (const path of ['', '/plan', '/logs'])
      expect((await stranger.get(`${url}${path}`)).statusCode, path).toBe(404)
    const wrong = `/api/pipelines/${target.pipelineId}/runs/${place.id}`
    expect((await owner.get(wrong)).statusCode).toBe(404)
    expect((await owner.get(`${target.url}/runs/${place.id}`)).statusCode).toBe(404)
    await expect(
      applicationRun(harness.deps, org.id, {
        pipelineId: target.pipelineId,
        origin: 'person',
        authorUserId: owner.id,
      }),
    ).rejects.toThrow('Not found')
  })

  test('409: a pipeline with a live run stays; later runs get the next numbers', async () => {
    const start = { pipelineId, origin: 'person', authorUserId: owner.id } as const
    const more = await Promise.all(
      [1, 2, 3].map(async () => applicationRun(harness.deps, org.id, start)),
    )
    expect(more.map(({ number }) => number).toSorted((a, b) => a - b)).toEqual([2, 3, 4])
    const path = `/api/pipelines/${pipelineId}`
    expect((await owner.delete(path)).json().code).toBe('run_in_progress')
    await harness.deps.store.platform.raw(
      `update application_runs set phase = 'canceled' where organization_id = ?`,
      [org.id],
    )
    expect((await owner.delete(path)).statusCode).toBe(200)
    expect((await owner.get(url)).statusCode).toBe(404)
  })
})

type StageBody = { name: string; state: string }
