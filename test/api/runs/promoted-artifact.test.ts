import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { agentHosts, type AgentHosts } from '../../harness/deploy/agent-hosts.ts'
import { deployActivities, sha256 } from '../../harness/deploy/deploy-world.ts'
import { keepArtifact } from '../../harness/deploy/keep-artifact.ts'
import { applicationRun } from '../../harness/application-run.ts'
import { runAt } from '../../harness/git/application-of.ts'
import { gitHarness, peerMakers, type GitHarness } from '../../harness/git/git-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'

// No worker: the bytes of one pipeline's run, deployed by another pipeline.
describe('what a promoted artifact is needed for', () => {
  let harness: GitHarness
  let org: TestOrganization
  let owner: TestUser
  let connectionId: number
  let workspaceId: number
  let hosts: AgentHosts
  beforeAll(async () => {
    harness = await gitHarness(peerMakers.gitlabPeer, { worker: false })
    org = await harness.organization()
    owner = await org.user('Owner')
    await harness.peer.createRepository('acme/shop', { 'index.html': 'hello' })
    const body = harness.body('acme/shop', { repoType: 'application' })
    connectionId = (await owner.post('/api/git/connections', body)).json().connection.id
    workspaceId = (await org.workspace({ by: owner })).id
    hosts = agentHosts(harness, { organizationId: org.id, workspaceId })
    await hosts.add('a')
  })
  afterAll(async () => harness?.close())

  const pipeline = async (more: object = {}): Promise<{ id: number; name: string }> => {
    const made = await owner.post('/api/pipelines', {
      name: `shop-${randomBytes(4).toString('hex')}`,
      appGitConnectionId: connectionId,
      appRepo: 'acme/shop',
      ...more,
    })
    expect(made.statusCode, made.body).toBe(201)
    return made.json().pipeline
  }
  const built = async (pipelineId: number): Promise<number> => {
    const { id } = await applicationRun(harness.deps, org.id, {
      pipelineId,
      origin: 'person',
      authorUserId: owner.id,
      branch: 'main',
    })
    const manifest = 'version: 1\nbuild:\n  artifact: { path: dist }\n'
    const [commitSha, manifestSha256] = ['c'.repeat(40), sha256(manifest)]
    await harness.deps.store
      .platform('application_runs')
      .where({ pipelineRunId: id })
      .update({ phase: 'succeeded', endedAt: new Date(), commitSha, manifest, manifestSha256 })
    await keepArtifact(harness.deps, org.id, { runId: id, digest: `sha256:${sha256(String(id))}` })
    return id
  }
  const promote = async (pipelineId: number, artifactOf: number) => {
    const answer = await owner.post(`/api/pipelines/${pipelineId}/run`, { artifactOf })
    expect(answer.statusCode, answer.body).toBe(201)
    return runAt(owner, pipelineId, answer.json().run.id)
  }
  const deployed = async (pipelineId: number, artifactOf: number) => {
    const run = await promote(pipelineId, artifactOf)
    await deployActivities(harness).deploy(run, hosts)
    expect(await run.shown()).toMatchObject({ state: 'succeeded' })
    return run
  }
  const removed = async ({ id }: { id: number }) => {
    const answer = await owner.delete(`/api/pipelines/${id}`)
    const { code, details } = answer.json()
    return [answer.statusCode, code, details]
  }

  test('409, then 200: a pipeline is kept while another one deploys what it built, or goes back to it', async () => {
    const [source, later] = [await pipeline(), await pipeline()]
    const to = await pipeline({ targetWorkspaceId: workspaceId })
    const inUse = [409, 'pipeline_in_use', [{ path: `pipelines/${to.id}`, message: to.name }]]
    const from = await built(source.id)
    const run = await promote(to.id, from)
    // A live run of it.
    expect(await removed(source)).toEqual(inUse)
    await deployActivities(harness).deploy(run, hosts)
    // Its last good deployment.
    expect(await removed(source)).toEqual(inUse)
    const second = await deployed(to.id, await built(later.id))
    // What it goes back to.
    expect(await removed(source)).toEqual(inUse)
    expect(await run.shown()).toMatchObject({ deployment: { hosts: { total: 1 } } })
    await deployed(to.id, await built(later.id))
    expect(await removed(source)).toEqual([200, undefined, undefined])
    expect(await removed(later)).toEqual(inUse)
    const back = await owner.post(`${second.url}/rollback`, {})
    expect(back.statusCode, back.body).toBe(201)
    // With the pipeline that uses it goes what it was needed for.
    const { url } = runAt(owner, to.id, back.json().run.id)
    expect((await owner.post(`${url}/cancel`, {})).statusCode).toBe(200)
    expect(await removed(to)).toEqual([200, undefined, undefined])
    expect(await removed(later)).toEqual([200, undefined, undefined])
  })

  test('409: a host has not gone on from what the pipeline built', async () => {
    const [source, later] = [await pipeline(), await pipeline()]
    const to = await pipeline({ targetWorkspaceId: workspaceId })
    const from = await built(source.id)
    await deployed(to.id, from)
    await deployed(to.id, await built(later.id))
    await deployed(to.id, await built(later.id))
    const agents = harness.deps.store.platform('agents').where({ workspaceId })
    const { releaseDigest } = await agents.clone().first('releaseDigest')
    await agents.clone().update({ releaseDigest: `sha256:${sha256(String(from))}` })
    expect((await removed(source)).slice(0, 2)).toEqual([409, 'pipeline_in_use'])
    await agents.clone().update({ releaseDigest })
    expect((await removed(source))[0]).toBe(200)
  })

  test('409, then 200: a pipeline was led elsewhere: hosts that still run what it deployed count, its past does not', async () => {
    const source = await pipeline()
    const to = await pipeline({ targetWorkspaceId: workspaceId })
    const from = await built(source.id)
    const { id } = await deployed(to.id, from)
    const other = await org.workspace({ by: owner })
    const moved = await owner.patch(`/api/pipelines/${to.id}`, { targetWorkspaceId: other.id })
    expect(moved.statusCode, moved.body).toBe(200)
    const agents = harness.deps.store.platform('agents').where({ workspaceId })
    const before = await agents.clone().first('releaseDigest', 'releaseRunId')
    const runs = { releaseDigest: `sha256:${sha256(String(from))}`, releaseRunId: id }
    await agents.clone().update(runs)
    expect((await removed(source)).slice(0, 2)).toEqual([409, 'pipeline_in_use'])
    await agents.clone().update(before)
    expect(await removed(source)).toEqual([200, undefined, undefined])
  })

  test('200: hosts run what the pipeline itself deployed there, and another one before it', async () => {
    const [source, later] = [await pipeline({ targetWorkspaceId: workspaceId }), await pipeline()]
    const to = await pipeline({ targetWorkspaceId: workspaceId })
    const from = await built(source.id)
    const promoted = await deployed(to.id, from)
    for (let times = 0; times < 2; times += 1) await deployed(to.id, await built(later.id))
    const own = await deployed(source.id, from)
    const agents = harness.deps.store.platform('agents').where({ workspaceId })
    const before = await agents.clone().first('releaseDigest', 'releaseRunId')
    const runs = async (releaseRunId: number | null) =>
      agents.clone().update({ releaseDigest: `sha256:${sha256(String(from))}`, releaseRunId })
    // A host may not say by which deployment.
    for (const run of [null, promoted.id]) {
      await runs(run)
      expect((await removed(source)).slice(0, 2)).toEqual([409, 'pipeline_in_use'])
    }
    await runs(own.id)
    expect(await removed(source)).toEqual([200, undefined, undefined])
    await agents.clone().update(before)
  })

  test('200: what a pipeline itself deployed last keeps it from nothing', async () => {
    const own = await pipeline({ targetWorkspaceId: workspaceId })
    await deployed(own.id, await built(own.id))
    expect((await removed(own))[0]).toBe(200)
  })

  test('201: the same key and body gets the first answer of a promotion whose artifact is gone', async () => {
    const [source, to] = [await pipeline(), await pipeline({ targetWorkspaceId: workspaceId })]
    const from = await built(source.id)
    const options = { headers: { 'idempotency-key': randomUUID() } }
    const send = async (body: object) => owner.post(`/api/pipelines/${to.id}/run`, body, options)
    const first = await send({ artifactOf: from })
    expect(first.statusCode, first.body).toBe(201)
    const rows = harness.deps.store.platform('artifacts').where({ pipelineRunId: from })
    await rows.update({ sweptAt: new Date(), provenance: null })
    const again = await send({ artifactOf: from })
    expect([again.statusCode, again.json()]).toEqual([201, first.json()])
    const other = await send({ artifactOf: from, message: 'another body' })
    expect([other.statusCode, other.json().code]).toEqual([409, 'idempotency_key_reused'])
  })

  test('201: the same key and body gets the first answer of a run whose repository is disconnected', async () => {
    await harness.peer.createRepository('acme/infra', { 'main.tf': '' })
    const { connection } = (
      await owner.post('/api/git/connections', harness.body('acme/infra'))
    ).json()
    const created = await owner.post('/api/workspaces', {
      name: `infra-${randomBytes(4).toString('hex')}`,
      gitConnectionId: connection.id,
      source: { kind: 'git' },
    })
    expect(created.statusCode, created.body).toBe(201)
    const options = { headers: { 'idempotency-key': randomUUID() } }
    const send = async (body: object) =>
      owner.post(`/api/workspaces/${created.json().workspace.id}/plan`, body, options)
    const first = await send({})
    expect(first.statusCode, first.body).toBe(201)
    expect((await owner.delete(`/api/git/connections/${connection.id}`)).statusCode).toBe(200)
    const again = await send({})
    expect([again.statusCode, again.json()]).toEqual([201, first.json()])
    const other = await send({ message: 'another body' })
    expect([other.statusCode, other.json().code]).toEqual([409, 'idempotency_key_reused'])
  })
})
