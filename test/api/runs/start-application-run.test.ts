import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { randomBytes } from 'node:crypto'
import { applicationPipeline } from '../../harness/application-run.ts'
import { gitHarness, peerMakers, type GitHarness } from '../../harness/git/git-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'

// No worker: what the start writes, and what it refuses.
describe('POST /api/pipelines/{id}/run of an application', () => {
  let harness: GitHarness
  let org: TestOrganization
  let owner: TestUser
  let connectionId: number
  let pipelineId: number
  let url: string
  beforeAll(async () => {
    harness = await gitHarness(peerMakers.gitlabPeer, { worker: false })
    org = await harness.organization()
    owner = await org.user('Owner')
    await harness.peer.createRepository('acme/shop', { 'index.html': 'hello' })
    const body = harness.body('acme/shop', { repoType: 'application' })
    connectionId = (await owner.post('/api/git/connections', body)).json().connection.id
    pipelineId = (await pipeline()).json().pipeline.id
    url = `/api/pipelines/${pipelineId}/run`
  })
  afterAll(async () => harness?.close())

  const pipeline = async (more: Record<string, unknown> = {}) =>
    owner.post('/api/pipelines', {
      name: `shop-${randomBytes(4).toString('hex')}`,
      appGitConnectionId: connectionId,
      appRepo: 'acme/shop',
      ...more,
    })
  const commit = 'A'.repeat(40)
  const refused = async (at: string, body: Record<string, unknown>) => {
    const answer = await owner.post(at, body)
    return [answer.statusCode, answer.json().code]
  }
  const rowsOf = async (table: string) =>
    (
      await harness.deps.store.platform.raw(
        `select count(*)::integer as count from ${table} where organization_id = ?`,
        [org.id],
      )
    ).rows[0].count

  test('201: run, stages, audit entry and the start of its workflow are written together', async () => {
    const answer = await owner.post(url, { message: '  a first try ' })
    expect(answer.statusCode, answer.body).toBe(201)
    const { run } = answer.json()
    expect(run).toMatchObject({
      kind: 'application',
      state: 'running',
      message: 'a first try',
      origin: { kind: 'person', id: owner.id },
      author: { id: owner.id },
      commit: null,
      trigger: { kind: 'manual', id: null },
      stages: [
        { name: 'source', state: 'queued' },
        { name: 'build', state: 'pending' },
        { name: 'deploy', state: 'pending' },
      ],
    })
    const { entries } = (await owner.get('/api/audit?event=pipeline.run_started')).json()
    expect(entries).toMatchObject([
      {
        target: { kind: 'run', id: run.id },
        detail: { pipelineId, kind: 'application', number: run.number, branch: 'main' },
      },
    ])
    const { rows } = await harness.deps.store.platform.raw(
      `select kind, workflow_id from outbox where organization_id = ?`,
      [org.id],
    )
    expect(rows).toContainEqual({ kind: 'start', workflow_id: run.workflowId })
  })

  test('201: a branch and a commit are those of the run; a commit has no branch', async () => {
    const branch = (await owner.post(url, { branch: 'refs/heads/next' })).json().run
    const [row] = await harness.deps.store
      .platform('application_runs')
      .where({ pipelineRunId: branch.id })
      .select('branch', 'commitSha')
    expect(row).toEqual({ branch: 'next', commitSha: null })
    const { run } = (await owner.post(url, { commit })).json()
    expect(run.commit).toEqual({
      sha: 'a'.repeat(40),
      branch: null,
      tag: null,
      message: null,
      author: null,
      at: null,
    })
  })

  test('201: a tag has no branch; a strategy is noted; without a branch it is the pipeline’s', async () => {
    const rowOf = async (body: Record<string, unknown>, at = url) => {
      const made = await owner.post(at, body)
      expect(made.statusCode, made.body).toBe(201)
      return harness.deps.store
        .platform('application_runs')
        .where({ pipelineRunId: made.json().run.id })
        .first('branch', 'tag', 'commitSha', 'strategy')
    }
    expect(await rowOf({ tag: 'refs/tags/v1.0', strategy: 'canary' })).toEqual({
      branch: null,
      tag: 'v1.0',
      commitSha: null,
      strategy: 'canary',
    })
    const own = (await pipeline({ appBranch: 'release' })).json().pipeline.id
    expect(await rowOf({}, `/api/pipelines/${own}/run`)).toMatchObject({
      branch: 'release',
      strategy: null,
    })
  })

  test('201: the same key gets the same run; 409 with another body', async () => {
    const options = { headers: { 'idempotency-key': 'once' } }
    const starts = [1, 2, 3].map(async () => owner.post(url, { branch: 'main' }, options))
    const ids = (await Promise.all(starts)).map((answer) => answer.json().run.id)
    expect(new Set(ids).size).toBe(1)
    const other = await owner.post(url, { branch: 'next' }, options)
    expect([other.statusCode, other.json().code]).toEqual([409, 'idempotency_key_reused'])
  })

  test('400: what is of a plan, both a branch and a commit, and what is no name of either', async () => {
    expect(await refused(url, { vars: { a: 1 } })).toEqual([400, 'vars_not_supported'])
    for (const body of [
      { confirm: true },
      { branch: 'main', commit },
      { branch: '--upload-pack=x' },
      { branch: 'a..b' },
      { branch: 'a\nb' },
      { commit: 'abc' },
      { commit: `${commit}0` },
      { tag: 'v1', branch: 'main' },
      { tag: 'v1', commit },
      { tag: 'v 1' },
      { artifactOf: 1, branch: 'main' },
      { artifactOf: 1, tag: 'v1' },
      { artifactOf: 0 },
      { strategy: '' },
    ])
      expect((await owner.post(url, body)).statusCode, JSON.stringify(body)).toBe(400)
  })

  test('400: a branch and a commit on an infrastructure pipeline', async () => {
    const { pipelineId: own } = await org.workspace({ by: owner })
    for (const body of [{ branch: 'main' }, { commit }, { artifactOf: 1 }, { strategy: 'canary' }])
      expect((await owner.post(`/api/pipelines/${own}/run`, body)).statusCode).toBe(400)
  })

  test('403 and 404: a Viewer, and another organization, start nothing', async () => {
    const before = await rowsOf('application_runs')
    expect((await (await org.user('Viewer')).post(url, {})).statusCode).toBe(403)
    const stranger = await (await harness.organization()).user('Owner')
    expect((await stranger.post(url, {})).statusCode).toBe(404)
    expect(await rowsOf('application_runs')).toBe(before)
  })

  test('201: one that is to be deployed says that its target has no agent', async () => {
    const target = await org.workspace({ by: owner })
    const id = (await pipeline({ targetWorkspaceId: target.id })).json().pipeline.id
    const answer = await owner.post(`/api/pipelines/${id}/run`, { strategy: 'Canary' })
    expect(answer.statusCode, answer.body).toBe(201)
    expect(answer.json()).toMatchObject({
      warnings: ['no_agents'],
      run: { workspaceId: target.id, deployment: null, stages: [{ state: 'queued' }, {}, {}] },
    })
  })

  test('409: one whose connection is gone leaves nothing behind', async () => {
    const orphan = await applicationPipeline(harness.deps, org.id)
    const before = [await rowsOf('application_runs'), await rowsOf('outbox')]
    expect(await refused(`/api/pipelines/${orphan}/run`, {})).toEqual([409, 'source_unknown'])
    expect([await rowsOf('application_runs'), await rowsOf('outbox')]).toEqual(before)
  })

  test('two starts at one instant: each has its own number, and neither ends the other', async () => {
    const id = (await pipeline()).json().pipeline.id
    const starts = Array.from({ length: 4 }, async () => owner.post(`/api/pipelines/${id}/run`, {}))
    const runs = (await Promise.all(starts)).map((answer) => answer.json().run)
    expect(runs.map(({ number }) => number).toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4])
    const { runs: shown } = (await owner.get(`/api/pipelines/${id}/runs`)).json()
    expect(shown.map(({ state }: { state: string }) => state)).toEqual(Array(4).fill('running'))
  })
})
