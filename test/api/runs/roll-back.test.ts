import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import {
  deployActivities,
  deployWorld,
  type DeployWorld,
} from '../../harness/deploy/deploy-world.ts'
import { applicationRun } from '../../harness/application-run.ts'
import { runAt, type ApplicationRunOfTest } from '../../harness/git/application-of.ts'

// No worker: the test calls the activities, and agents answer through the store.
describe('POST /api/pipelines/{id}/runs/{runId}/rollback', () => {
  let harness: Harness
  let world: DeployWorld
  let activities: ReturnType<typeof deployActivities>
  beforeAll(async () => {
    harness = await createHarness()
    activities = deployActivities(harness)
  })
  afterAll(async () => harness.close())
  beforeEach(async () => {
    world = await deployWorld(harness)
    await world.hosts.add('a')
    await world.hosts.add('b')
  })
  const platform = () => harness.deps.store.platform
  const deployed = async (artifact: string) => {
    const run = await world.built({ artifact })
    await activities.deploy(run, world.hosts)
    return run
  }
  const back = async (to: ApplicationRunOfTest, body: object = {}, by = world.owner) => {
    const answer = await by.post(`${to.url}/rollback`, body)
    expect(answer.statusCode, answer.body).toBe(201)
    return runAt(by, world.pipelineId, answer.json().run.id)
  }
  const refusal = async (to: ApplicationRunOfTest) => {
    const answer = await world.owner.post(`${to.url}/rollback`, {})
    return [answer.statusCode, answer.json().code]
  }

  test('201: an earlier release is deployed again, without a source and a build', async () => {
    const old = await deployed('old')
    await deployed('new')
    const run = await back(old, { comment: 'the new one is slow' })
    expect(await run.shown()).toMatchObject({
      state: 'running',
      rollbackOf: old.id,
      trigger: { kind: 'rollback', id: old.id },
      message: 'the new one is slow',
      commit: { sha: (await old.shown()).commit?.sha },
      stages: [
        { name: 'source', state: 'skipped' },
        { name: 'build', state: 'skipped' },
        { name: 'deploy', state: 'queued' },
      ],
    })
    expect(await activities.deploy(run, world.hosts)).toEqual(['a deploy', 'b deploy'])
    expect(await run.shown()).toMatchObject({ state: 'succeeded' })
    const { rows } = await platform().raw(
      `select artifact_run_id from deployments where pipeline_run_id = ?`,
      [run.id],
    )
    expect(rows).toEqual([{ artifact_run_id: old.id }])
    const { entries } = (await world.owner.get('/api/audit?event=pipeline.rolled_back')).json()
    expect(entries[0]).toMatchObject({
      target: { id: run.id },
      detail: { to: old.id, automatic: false },
    })
  })

  test('201: the newest one again; the same key gives the same run', async () => {
    const run = await deployed('only')
    const options = { headers: { 'idempotency-key': 'again' } }
    const answers = await Promise.all(
      [1, 2].map(async () => world.owner.post(`${run.url}/rollback`, {}, options)),
    )
    expect(new Set(answers.map((answer) => answer.json().run.id)).size).toBe(1)
  })

  test('409: without an artifact, of another target, and of one that is not kept', async () => {
    const old = await deployed('old')
    await platform()('artifacts')
      .where({ pipelineRunId: old.id })
      .update({ sweptAt: new Date(), provenance: null })
    expect(await refusal(old)).toEqual([409, 'artifact_gone'])
    const none = await deployed('none')
    await platform()('deployments').where({ pipelineRunId: none.id }).delete()
    await platform()('artifacts').where({ pipelineRunId: none.id }).delete()
    expect(await refusal(none)).toEqual([409, 'not_rollbackable'])
    const other = await deployed('other')
    const target = await world.org.workspace({ by: world.owner })
    await platform()('pipelines')
      .where({ id: world.pipelineId })
      .update({ targetWorkspaceId: target.id })
    expect(await refusal(other)).toEqual([409, 'not_rollbackable'])
  })

  test('409: without a bill of materials, once the pipeline requires one', async () => {
    const old = await deployed('old')
    const described = await world.built({ artifact: 'described', hasSbom: true })
    await activities.deploy(described, world.hosts)
    const pipeline = `/api/pipelines/${world.pipelineId}`
    expect((await world.owner.patch(pipeline, { sbom: 'required' })).statusCode).toBe(200)
    const answer = await world.owner.post(`${old.url}/rollback`, {})
    expect([answer.statusCode, answer.json().code, answer.json().error]).toEqual([
      409,
      'not_rollbackable',
      'This pipeline requires a bill of materials, and the artifact of that run has none.',
    ])
    await back(described)
  })

  test('400 and 403: a run of an infrastructure pipeline, and a Viewer', async () => {
    const { id: workspaceId, pipelineId } = await world.org.workspace({ by: world.owner })
    const started = await world.owner.post(`/api/workspaces/${workspaceId}/apply`)
    const url = `/api/pipelines/${pipelineId}/runs/${started.json().run.id}/rollback`
    expect((await world.owner.post(url, {})).statusCode).toBe(400)
    const old = await deployed('old')
    const viewer = await world.org.user('Viewer')
    expect((await viewer.post(`${old.url}/rollback`, {})).statusCode).toBe(403)
  })

  test('a live deployment is stopped by it, without going back by itself', async () => {
    const old = await deployed('old')
    const deploy = 'strategy: s\nstrategies: { s: { kind: rolling, batch: 1 } }'
    const bad = await world.built({ artifact: 'bad', deploy })
    await activities.open(bad.id)
    await activities.advance(bad.id)
    await world.hosts.answer()
    await activities.advance(bad.id)
    const run = await back(old)
    expect(await activities.open(run.id)).toEqual({ timeoutMs: 30_000 })
    expect(await activities.deploy(bad, world.hosts)).toEqual([])
    expect(await bad.shown()).toMatchObject({ state: 'failed', reason: 'superseded' })
    expect(await activities.deploy(run, world.hosts)).toEqual(['a deploy', 'b deploy'])
    expect(await run.shown()).toMatchObject({ state: 'succeeded' })
  })

  test('two at one instant: both are answered, one is deployed, and the other took no place of it', async () => {
    const old = await deployed('old')
    const mid = await deployed('mid')
    await deployed('new')
    const runs = await Promise.all([back(old), back(mid)])
    for (const run of runs) await activities.deploy(run, world.hosts)
    const states = await Promise.all(runs.map(async (run) => (await run.shown()).state))
    expect(states.toSorted()).toEqual(['canceled', 'succeeded'])
    const ended = (await Promise.all(runs.map(async (run) => run.shown()))).find(
      ({ state }) => state === 'canceled',
    )
    expect(ended).toMatchObject({ reason: 'superseded' })
    expect(
      await platform()('deployments').where({ pipelineId: world.pipelineId }).whereNull('endedAt'),
    ).toEqual([])
  })

  describe('of production', () => {
    const deployApproved = async (artifact: string) => {
      const second = await world.org.user('Deployer')
      const run = await world.built({ artifact })
      expect((await second.post(`${run.url}/approve`, {})).statusCode).toBe(200)
      await activities.deploy(run, world.hosts)
      return { run, second }
    }
    beforeEach(async () => {
      world = await deployWorld(harness, { criticality: 'production' })
      await world.hosts.add('a')
    })

    test('waits for a second person as any run, and what waited is superseded', async () => {
      const { run: old } = await deployApproved('old')
      const waiting = await world.built({ artifact: 'next' })
      const run = await back(old)
      expect(await waiting.shown()).toMatchObject({ state: 'canceled', reason: 'superseded' })
      expect(await run.shown()).toMatchObject({ awaitingApproval: true })
      const own = await world.owner.post(`${run.url}/approve`, {})
      expect([own.statusCode, own.json().code]).toEqual([403, 'approver_is_author'])
    })

    test('a live deployment goes on while the rollback waits for its approval', async () => {
      const { run: old, second } = await deployApproved('old')
      const live = await world.built({ artifact: 'next' })
      await second.post(`${live.url}/approve`, {})
      await activities.open(live.id)
      const run = await back(old)
      expect(await live.shown()).toMatchObject({ state: 'running' })
      expect((await second.post(`${run.url}/approve`, {})).statusCode).toBe(200)
      await activities.deploy(live, world.hosts)
      expect(await live.shown()).toMatchObject({ state: 'failed', reason: 'superseded' })
    })

    test('once: a release that was approved and healthy here needs no second approval', async () => {
      const { run: old, second } = await deployApproved('old')
      await platform()('pipelines')
        .where({ id: world.pipelineId })
        .update({ rollbackApproval: 'once' })
      const run = await back(old)
      expect(await run.shown()).toMatchObject({
        awaitingApproval: false,
        approvals: [{ user: second.email, decision: 'approved' }],
        stages: [{}, {}, { name: 'deploy', by: 'approved_before' }],
      })
      await activities.deploy(run, world.hosts)
      expect(await run.shown()).toMatchObject({ state: 'succeeded' })
      await platform()('deployments')
        .where({ pipelineId: world.pipelineId })
        .update({ endedAt: new Date(Date.now() - 91 * 86_400_000) })
      expect(await (await back(old)).shown()).toMatchObject({ awaitingApproval: true })
    })

    test('once: with another variable or strategy it is another release, which nobody approved', async () => {
      const { run: old } = await deployApproved('old')
      const pipeline = `/api/pipelines/${world.pipelineId}`
      await world.owner.patch(pipeline, { rollbackApproval: 'once' })
      const word = { key: 'WORD', value: 'x', phase: 'deploy' }
      const { variable } = (await world.owner.post(`${pipeline}/variables`, word)).json()
      expect(await (await back(old)).shown()).toMatchObject({ awaitingApproval: true })
      await world.owner.delete(`${pipeline}/variables/${variable.id}`)
      expect(await (await back(old)).shown()).toMatchObject({ awaitingApproval: false })
      await world.owner.patch(pipeline, { strategy: 'canary' })
      expect(await (await back(old)).shown()).toMatchObject({ awaitingApproval: true })
    })

    test('once: the earlier approval holds no longer than the setting, until it is deployed', async () => {
      const { run: old, second } = await deployApproved('old')
      const pipeline = `/api/pipelines/${world.pipelineId}`
      await world.owner.patch(pipeline, { rollbackApproval: 'once' })
      const first = await back(old)
      await world.owner.patch(pipeline, { rollbackApproval: 'always' })
      expect(await first.shown()).toMatchObject({ awaitingApproval: true, approvals: [] })
      expect((await second.post(`${first.url}/approve`, {})).statusCode).toBe(200)
      await activities.deploy(first, world.hosts)
      expect(await first.shown()).toMatchObject({ state: 'succeeded' })
      await world.owner.patch(pipeline, { rollbackApproval: 'once' })
      const unseen = await back(old)
      await platform()('pipelines')
        .where({ id: world.pipelineId })
        .update({ rollbackApproval: 'always' })
      await activities.open(unseen.id)
      expect(await unseen.shown()).toMatchObject({ awaitingApproval: true, approvals: [] })
    })

    test('to a promotion that was never deployed: it has the authors of that one', async () => {
      await deployApproved('old')
      const builder = await world.built({ artifact: 'promoted' })
      await world.owner.post(`${builder.url}/reject`, {})
      const [starter, author] = [await world.org.user('Deployer'), await world.org.user('Deployer')]
      const { id } = await applicationRun(harness.deps, world.org.id, {
        pipelineId: world.pipelineId,
        origin: 'person',
        authorUserId: starter.id,
        artifactRunId: builder.id,
      })
      const commits = [{ sha: 'a'.repeat(40), author: 'Ann', message: 'more' }]
      await platform()('application_runs')
        .where({ pipelineRunId: id })
        .update({
          phase: 'failed',
          endedAt: new Date(),
          authorUserIds: [author.id],
          unknownAuthor: true,
          commits: JSON.stringify(commits),
          commitsTruncated: true,
        })
      const run = await back(runAt(world.owner, world.pipelineId, id))
      const codes = []
      for (const by of [starter, author, await world.org.user('Deployer')])
        codes.push((await by.post(`${run.url}/approve`, {})).json().code)
      expect(codes).toEqual(['forbidden', 'forbidden', 'forbidden'])
      const [row] = await platform()('application_runs').where({ pipelineRunId: run.id })
      expect(row).toMatchObject({
        authorUserIds: [starter.id, author.id].toSorted((a, b) => a - b),
        unknownAuthor: true,
        commits,
        commitsTruncated: true,
      })
      const admin = await world.org.user('SRE · Cloud Admin')
      expect((await admin.post(`${run.url}/approve`, {})).statusCode).toBe(200)
    })

    test('once: one that nobody approved waits, with the authors of its commits', async () => {
      await deployApproved('old')
      const second = await world.org.user('Deployer')
      await platform()('pipelines')
        .where({ id: world.pipelineId })
        .update({ rollbackApproval: 'once' })
      const rejected = await world.built({ artifact: 'bad' })
      await platform()('application_runs')
        .where({ pipelineRunId: rejected.id })
        .update({ authorUserIds: [second.id] })
      await world.owner.post(`${rejected.url}/reject`, {})
      const run = await back(rejected)
      expect(await run.shown()).toMatchObject({ awaitingApproval: true })
      const answer = await second.post(`${run.url}/approve`, {})
      expect([answer.statusCode, answer.json().code]).toEqual([403, 'approver_is_author'])
    })
  })
})
