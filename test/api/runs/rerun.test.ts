import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { applicationRun } from '../../harness/application-run.ts'
import { deployActivities, deployWorld, sha256 } from '../../harness/deploy/deploy-world.ts'
import { keepArtifact } from '../../harness/deploy/keep-artifact.ts'
import { gitHarness, peerMakers, type GitHarness } from '../../harness/git/git-harness.ts'
import { simpleFiles, type TestOrganization } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'

// No worker: what the new run is made of, and what is refused.
let harness: GitHarness
let org: TestOrganization
let owner: TestUser
beforeAll(async () => {
  harness = await gitHarness(peerMakers.gitlabPeer, { worker: false })
  org = await harness.organization()
  owner = await org.user('Owner')
})
afterAll(async () => harness?.close())

const platform = () => harness.deps.store.platform
const started = async (by: TestUser, url: string, body: object = {}) => {
  const answer = await by.post(url, body)
  expect(answer.statusCode, answer.body).toBe(201)
  return answer.json().run
}
const refusal = async (url: string, by = owner) => {
  const answer = await by.post(url, {})
  return [answer.statusCode, answer.json().code]
}
const rowOf = async (id: number) => platform()('workspace_runs').where({ id }).first()
const entryOf = async (id: number) =>
  platform()('audit_entries')
    .where({ targetKind: 'run', targetId: String(id), event: 'pipeline.run_started' })
    .first()

describe('of a workspace', () => {
  test('201: the same version, options and variables, by another author', async () => {
    const workspace = await org.workspace({ by: owner })
    const secret = `word-${randomBytes(12).toString('hex')}`
    const body = { destroy: true, confirm: true, message: 'again', vars: { word: secret, n: 2 } }
    const run = await started(owner, `${workspace.url}/apply`, body)
    const files = { 'main.tf': `${simpleFiles['main.tf']}# changed` }
    await owner.put(`${workspace.url}/configuration`, { files })
    const other = await org.user('Deployer')

    const url = `${workspace.url}/runs/${run.id}/rerun`
    const answer = await other.post(url, {})

    expect(answer.statusCode, answer.body).toBe(201)
    const { run: again } = answer.json()
    expect(again).toMatchObject({
      kind: 'apply',
      destroy: true,
      message: 'again',
      origin: { kind: 'person', id: other.id },
      author: { id: other.id },
      configurationVersion: 1,
      number: run.number + 1,
    })
    expect(answer.body).not.toContain(secret)
    const row = await rowOf(again.id)
    expect(row).toMatchObject({ confirm: true, authorUserId: other.id })
    const at = { organizationId: org.id, table: 'workspace_runs', column: 'overrides' } as const
    const opened = harness.deps.keyring.open(at, row.overrides).toString()
    expect(JSON.parse(opened)).toEqual({ word: secret, n: 2 })
    const entry = await entryOf(again.id)
    expect(entry).toMatchObject({ actorId: other.id, detail: { rerunOf: run.id } })
    expect(JSON.stringify(entry)).not.toContain(secret)
  })

  test('201: a plan-only run, and one in the pipeline that it was started through', async () => {
    const workspace = await org.workspace({ by: owner })
    const plan = await started(owner, `${workspace.url}/plan`)
    const again = await started(owner, `${workspace.url}/runs/${plan.id}/rerun`)
    expect(again).toMatchObject({ kind: 'plan', number: null, configurationVersion: 1 })

    const name = `nightly-${randomBytes(4).toString('hex')}`
    const body = { name, kind: 'infrastructure', targetWorkspaceId: workspace.id }
    const { id } = (await owner.post('/api/pipelines', body)).json().pipeline
    const run = await started(owner, `/api/pipelines/${id}/run`)
    const url = `/api/pipelines/${id}/runs/${run.id}/rerun`
    const placed = await started(owner, url)
    expect(placed.number).toBe(run.number + 1)
    expect((await owner.get(`/api/pipelines/${id}/runs/${placed.id}`)).statusCode).toBe(200)
    expect((await entryOf((await ownRuns(workspace.url))[0].id))?.detail.rerunOf).toBe(run.id)

    const { id: elsewhere } = await org.workspace({ by: owner })
    await platform()('pipelines').where({ id }).update({ targetWorkspaceId: elsewhere })
    expect(await refusal(url)).toEqual([409, 'not_rerunnable'])
  })
  const ownRuns = async (url: string) => (await owner.get(`${url}/runs`)).json().runs

  test('409: a variable that is sensitive by now and cannot be masked, also as TF_VAR_ of the environment', async () => {
    const workspace = await org.workspace({ by: owner })
    const run = await started(owner, `${workspace.url}/apply`, { vars: { token: 'ab' } })
    const env = { key: 'TF_VAR_token', kind: 'env', value: 'long-enough', sensitive: true }
    expect((await owner.post(`${workspace.url}/variables`, env)).statusCode).toBe(201)
    expect(await refusal(`${workspace.url}/runs/${run.id}/rerun`)).toEqual([409, 'not_rerunnable'])
  })

  test('201: one key is one run; 409: with another run', async () => {
    const workspace = await org.workspace({ by: owner })
    const run = await started(owner, `${workspace.url}/apply`)
    const options = { headers: { 'idempotency-key': randomUUID() } }
    const url = `${workspace.url}/runs/${run.id}/rerun`
    const sent = await Promise.all([1, 2, 3].map(async () => owner.post(url, {}, options)))
    expect(new Set(sent.map((answer) => answer.json().run.id)).size).toBe(1)
    // The first answer stands, although the run could not be run again by now.
    await platform()('workspace_runs').where({ id: run.id }).update({ origin: 'deployment' })
    expect((await owner.post(url, {}, options)).json()).toEqual(sent[0]?.json())
    const id = sent[0]?.json().run.id
    const other = await owner.post(`${workspace.url}/runs/${id}/rerun`, {}, options)
    expect([other.statusCode, other.json().code]).toEqual([409, 'idempotency_key_reused'])
    expect(await ownRuns(workspace.url)).toHaveLength(2)
  })

  test('409: a run of a deployment, and the plan of a pull request with another head', async () => {
    const workspace = await org.workspace({ by: owner })
    const run = await started(owner, `${workspace.url}/plan`)
    const url = `${workspace.url}/runs/${run.id}/rerun`
    const rows = platform()('workspace_runs').where({ id: run.id })
    await rows.clone().update({ origin: 'deployment' })
    expect(await refusal(url)).toEqual([409, 'not_rerunnable'])
    await rows.clone().update({ origin: 'pull_request', authorUserId: null })
    const sha = randomBytes(20).toString('hex')
    const repo = `acme/infra-${randomBytes(4).toString('hex')}`
    await harness.peer.createRepository(repo, simpleFiles)
    const { connection } = (
      await owner.post('/api/git/connections', harness.body(repo, { repoType: 'infra' }))
    ).json()
    const [pull] = await platform()('git_pull_requests')
      .insert({
        organizationId: org.id,
        connectionId: connection.id,
        repo,
        number: 7,
        headSha: sha,
      })
      .returning('id')
    await platform()('configuration_versions')
      .where({ workspaceId: workspace.id })
      .update({ pullRequestId: pull.id, commitSha: sha, source: 'git' })
    expect(await started(owner, url)).toMatchObject({ kind: 'plan', pullRequest: 7 })
    await platform()('git_pull_requests')
      .where({ id: pull.id })
      .update({ headSha: 'f'.repeat(40) })
    expect(await refusal(url)).toEqual([409, 'not_rerunnable'])
  })

  test('409: a variable of the run that could not be masked any more; no value is told', async () => {
    const workspace = await org.workspace({ by: owner })
    const run = await started(owner, `${workspace.url}/plan`, { vars: { word: 'ab' } })
    const variable = { key: 'word', value: randomUUID(), sensitive: true }
    expect((await owner.post(`${workspace.url}/variables`, variable)).statusCode).toBe(201)
    const answer = await owner.post(`${workspace.url}/runs/${run.id}/rerun`, {})
    expect([answer.statusCode, answer.json().code]).toEqual([409, 'not_rerunnable'])
    expect(answer.json().error).not.toContain('ab ')
  })

  test('403: a Viewer; 404: of another organization, and under another workspace', async () => {
    const workspace = await org.workspace({ by: owner })
    const run = await started(owner, `${workspace.url}/apply`)
    const stranger = await (await harness.organization()).user('Owner')
    const elsewhere = await org.workspace({ by: owner })
    for (const at of [workspace.url, `/api/pipelines/${workspace.pipelineId}`]) {
      const url = `${at}/runs/${run.id}/rerun`
      expect((await refusal(url, await org.user('Viewer')))[0]).toBe(403)
      expect((await refusal(url, stranger))[0]).toBe(404)
    }
    expect((await refusal(`${elsewhere.url}/runs/${run.id}/rerun`))[0]).toBe(404)
  })
})

describe('of an application', () => {
  let connectionId: number
  beforeAll(async () => {
    await harness.peer.createRepository('acme/shop', { 'index.html': 'hello' })
    const body = harness.body('acme/shop', { repoType: 'application' })
    connectionId = (await owner.post('/api/git/connections', body)).json().connection.id
  })
  const pipeline = async (): Promise<number> => {
    const made = await owner.post('/api/pipelines', {
      name: `shop-${randomBytes(4).toString('hex')}`,
      appGitConnectionId: connectionId,
      appRepo: 'acme/shop',
    })
    expect(made.statusCode, made.body).toBe(201)
    return made.json().pipeline.id
  }
  const sha = 'c'.repeat(40)

  test('201: its commit, strategy and message; the branch before a commit is known', async () => {
    const pipelineId = await pipeline()
    const body = { branch: 'main', strategy: 'canary', message: 'once more' }
    const run = await started(owner, `/api/pipelines/${pipelineId}/run`, body)
    const url = `/api/pipelines/${pipelineId}/runs/${run.id}/rerun`
    const other = await org.user('Deployer')
    const ofBranch = await started(other, url)
    const row = async (id: number) =>
      platform()('application_runs').where({ pipelineRunId: id }).first()
    expect(await row(ofBranch.id)).toMatchObject({ branch: 'main', commitSha: null })
    await platform()('application_runs').where({ pipelineRunId: run.id }).update({ commitSha: sha })

    const again = await started(other, url)

    expect(again).toMatchObject({
      kind: 'application',
      commitSha: sha,
      message: 'once more',
      trigger: { kind: 'manual' },
      author: { id: other.id },
    })
    expect(await row(again.id)).toMatchObject({ strategy: 'canary', origin: 'person' })
    expect((await entryOf(again.id)).detail).toMatchObject({ rerunOf: run.id, commit: sha })
  })

  test('201: one key is one run, also after its Git connection is gone; 409 with a new one', async () => {
    const pipelineId = await pipeline()
    const { id } = await applicationRun(harness.deps, org.id, {
      pipelineId,
      origin: 'push',
      authorUserId: null,
      commitSha: sha,
    })
    const url = `/api/pipelines/${pipelineId}/runs/${id}/rerun`
    const options = { headers: { 'idempotency-key': randomUUID() } }
    const sent = await Promise.all([1, 2].map(async () => owner.post(url, {}, options)))
    expect(sent[0]?.statusCode, sent[0]?.body).toBe(201)
    expect(new Set(sent.map((answer) => answer.json().run.id)).size).toBe(1)
    await platform()('pipelines').where({ id: pipelineId }).update({ appGitConnectionId: null })
    expect((await owner.post(url, {}, options)).json()).toEqual(sent[0]?.json())
    expect(await refusal(url)).toEqual([409, 'not_rerunnable'])
    expect((await refusal(url, await org.user('Viewer')))[0]).toBe(403)
    const stranger = await (await harness.organization()).user('Owner')
    expect((await refusal(url, stranger))[0]).toBe(404)
  })

  test('201: who wrote a commit that was never deployed is an author again', async () => {
    const pipelineId = await pipeline()
    const [writer, other] = [await org.user('Deployer'), await org.user('Deployer')]
    const { id: targetWorkspaceId } = await org.workspace({ by: owner })
    await platform()('pipelines').where({ id: pipelineId }).update({ targetWorkspaceId })
    const run = await started(owner, `/api/pipelines/${pipelineId}/run`, { commit: sha })
    const row = (id: number) => platform()('application_runs').where({ pipelineRunId: id })
    await row(run.id).update({ authorUserIds: [writer.id], unknownAuthor: true })
    const again = await started(other, `/api/pipelines/${pipelineId}/runs/${run.id}/rerun`)
    const { authorUserIds, unknownAuthor } = await row(again.id).first()
    expect(new Set(authorUserIds)).toEqual(new Set([writer.id, owner.id]))
    expect(unknownAuthor).toBe(true)
  })

  test('409: another target, and an artifact that is gone', async () => {
    const pipelineId = await pipeline()
    const { id: targetWorkspaceId } = await org.workspace({ by: owner })
    const run = await started(owner, `/api/pipelines/${pipelineId}/run`, { commit: sha })
    const url = `/api/pipelines/${pipelineId}/runs/${run.id}/rerun`
    await platform()('pipelines').where({ id: pipelineId }).update({ targetWorkspaceId })
    expect(await refusal(url)).toEqual([409, 'not_rerunnable'])
    await platform()('pipelines').where({ id: pipelineId }).update({ targetWorkspaceId: null })
    const { id: builder } = await started(owner, url)
    const noted = { commitSha: sha, manifestSha256: sha256('') }
    const rows = platform()('application_runs')
    await rows
      .clone()
      .where({ pipelineRunId: builder })
      .update({ phase: 'building', ...noted })
    const digest = `sha256:${sha256(String(builder))}` as const
    await keepArtifact(harness.deps, org.id, { runId: builder, digest, sign: false })
    await rows.clone().where({ pipelineRunId: run.id }).update({ artifactRunId: builder })
    expect(await refusal(url)).toEqual([409, 'not_rerunnable'])
  })

  test('201: a rollback is the same rollback; 409 once its artifact is swept', async () => {
    const world = await deployWorld(harness)
    await world.hosts.add('a')
    const old = await world.built()
    await deployActivities(harness).deploy(old, world.hosts)
    const back = await started(world.owner, `${old.url}/rollback`, { comment: 'slow' })
    const url = `/api/pipelines/${world.pipelineId}/runs/${back.id}/rerun`
    const again = await started(world.owner, url)
    expect(again).toMatchObject({ rollbackOf: old.id, message: 'slow' })
    expect(again.id).not.toBe(back.id)
    expect((await entryOf(again.id)).detail).toMatchObject({ rerunOf: back.id })
    const options = { headers: { 'idempotency-key': randomUUID() } }
    const first = await world.owner.post(url, {}, options)
    expect((await world.owner.post(url, {}, options)).json()).toEqual(first.json())
    const ofAgain = `/api/pipelines/${world.pipelineId}/runs/${again.id}/rerun`
    const reused = await world.owner.post(ofAgain, {}, options)
    expect([reused.statusCode, reused.json().code]).toEqual([409, 'idempotency_key_reused'])
    await platform()('artifacts')
      .where({ pipelineRunId: old.id })
      .update({ sweptAt: new Date(), provenance: null })
    expect(await refusal(url, world.owner)).toEqual([409, 'not_rerunnable'])
  })
})
