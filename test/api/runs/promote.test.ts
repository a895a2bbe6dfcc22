import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createApp } from '../../../api/app.ts'
import { openHost } from '../../../app/git/open-host.ts'
import { gitConnections } from '../../../store/git/git-connections.ts'
import { approvers } from '../../../store/runs/approvers.ts'
import { agentHosts, type AgentHosts } from '../../harness/deploy/agent-hosts.ts'
import { deployActivities, sha256 } from '../../harness/deploy/deploy-world.ts'
import { keepArtifact } from '../../harness/deploy/keep-artifact.ts'
import { applicationRun } from '../../harness/application-run.ts'
import { runAt } from '../../harness/git/application-of.ts'
import { gitHarness, peerMakers, type GitHarness } from '../../harness/git/git-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'

// No worker: the bytes of one pipeline's run, deployed by another pipeline.
describe('a run with artifactOf', () => {
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

  const pipeline = async (more: object = {}, by = owner): Promise<number> => {
    const made = await by.post('/api/pipelines', {
      name: `shop-${randomBytes(4).toString('hex')}`,
      appGitConnectionId: connectionId,
      appRepo: 'acme/shop',
      ...more,
    })
    expect(made.statusCode, made.body).toBe(201)
    return made.json().pipeline.id
  }
  const built = async (
    pipelineId: number,
    commitSha = 'c'.repeat(40),
    { hasSbom = false }: { hasSbom?: boolean } = {},
  ) => {
    const { id } = await applicationRun(harness.deps, org.id, {
      pipelineId,
      origin: 'person',
      authorUserId: owner.id,
      branch: 'main',
    })
    const manifest = 'version: 1\nbuild:\n  artifact: { path: dist }\n'
    const rows = harness.deps.store.platform('application_runs').where({ pipelineRunId: id })
    await rows.update({
      phase: 'building',
      commitSha,
      manifest,
      manifestSha256: sha256(manifest),
    })
    const digest = `sha256:${sha256(String(id))}` as const
    await keepArtifact(harness.deps, org.id, { runId: id, digest, hasSbom })
    return id
  }
  const refusal = async (pipelineId: number, artifactOf: number, by = owner) => {
    const answer = await by.post(`/api/pipelines/${pipelineId}/run`, { artifactOf })
    return [answer.statusCode, answer.json().code]
  }

  test('201: the same bytes to another target; source and build are skipped', async () => {
    const from = await built(await pipeline())
    const to = await pipeline({ targetWorkspaceId: workspaceId })
    const answer = await owner.post(`/api/pipelines/${to}/run`, { artifactOf: from })
    expect(answer.statusCode, answer.body).toBe(201)
    const { run } = answer.json()
    expect(run).toMatchObject({
      state: 'running',
      trigger: { kind: 'promotion', id: from },
      commit: { sha: 'c'.repeat(40), branch: 'main' },
      rollbackOf: null,
      stages: [{ state: 'skipped' }, { state: 'skipped' }, { name: 'deploy', state: 'queued' }],
    })
    await deployActivities(harness).deploy(run, hosts)
    expect(await runAt(owner, to, run.id).shown()).toMatchObject({ state: 'succeeded' })
    // A promotion of what was promoted is of the run that built it.
    const again = await owner.post(`/api/pipelines/${await pipeline()}/run`, { artifactOf: run.id })
    expect(again.json().run.trigger).toEqual({ kind: 'promotion', id: from })
    expect(again.json().run.state).toBe('succeeded')
  })

  test('201: who started the build and who made its pipeline what it is are authors too', async () => {
    const [maker, promoter] = [await org.user('Deployer'), await org.user('Deployer')]
    const source = await pipeline({}, maker)
    const changer = await org.user('Deployer')
    expect((await changer.patch(`/api/pipelines/${source}`, { sbom: 'required' })).statusCode).toBe(
      200,
    )
    // A deployment that settled it says nothing about another target.
    await harness.deps.store
      .platform('pipeline_authorship')
      .where({ pipelineId: source })
      .update({ deployedAt: new Date() })
    const from = await built(source, 'c'.repeat(40), { hasSbom: true })
    const to = await pipeline({ targetWorkspaceId: workspaceId }, promoter)
    const authorsOf = async (id: number): Promise<number[]> => {
      const [row] = await harness.deps.store
        .platform('application_runs')
        .where({ pipelineRunId: id })
        .select('authorUserIds')
      return row.authorUserIds
    }
    const { run } = (await promoter.post(`/api/pipelines/${to}/run`, { artifactOf: from })).json()
    expect(await authorsOf(run.id)).toEqual(
      [owner.id, maker.id, changer.id].toSorted((a, b) => a - b),
    )
    const own = await promoter.post(`/api/pipelines/${source}/run`, { artifactOf: from })
    expect(await authorsOf(own.json().run.id)).toEqual([])
  })

  const authorsOf = async (id: number): Promise<number[]> => {
    const runs = harness.deps.store.platform('application_runs').where({ pipelineRunId: id })
    return (await runs.first('authorUserIds')).authorUserIds
  }
  const promote = async (pipelineId: number, artifactOf: number, by = owner) => {
    const answer = await by.post(`/api/pipelines/${pipelineId}/run`, { artifactOf })
    expect(answer.statusCode, answer.body).toBe(201)
    return answer.json().run
  }

  test('201: who changed the build before what this target has is no author of the next promotion', async () => {
    const { platform } = harness.deps.store
    const changer = await org.user('Deployer')
    const source = await pipeline()
    const to = await pipeline({ targetWorkspaceId: workspaceId })
    const change = async (sbom: string) => changer.patch(`/api/pipelines/${source}`, { sbom })
    await change('required')
    const startedNow = async (id: number) =>
      platform('stages')
        .where({ pipelineRunId: id, name: 'build' })
        .update({ startedAt: new Date() })
    const first = await built(source)
    await startedNow(first)
    const run = await promote(to, first)
    expect(await authorsOf(run.id)).toContain(changer.id)
    const second = await built(source)
    await startedNow(second)
    // What was never deployed here settles nothing.
    expect(await authorsOf((await promote(to, second)).id)).toContain(changer.id)
    const last = await promote(to, second)
    await deployActivities(harness).deploy(last, hosts)
    expect(await runAt(owner, to, last.id).shown()).toMatchObject({ state: 'succeeded' })
    expect(await authorsOf((await promote(to, await built(source))).id)).not.toContain(changer.id)
    await change('optional')
    expect(await authorsOf((await promote(to, await built(source))).id)).toContain(changer.id)
    // Another target has none of it yet.
    const other = (await org.workspace({ by: owner })).id
    const elsewhere = await pipeline({ targetWorkspaceId: other })
    expect(await authorsOf((await promote(elsewhere, first)).id)).toContain(changer.id)
  })

  test('a promotion settles what was changed of its deployment, and what its own builds would make is no part of it', async () => {
    const { store } = harness.deps
    // The host proves nobody of these commits, so a Deployer could not approve them.
    const changer = await org.user('SRE · Cloud Admin')
    const source = await pipeline()
    const to = await pipeline({ targetWorkspaceId: workspaceId })
    const change = async (more: object) =>
      expect((await changer.patch(`/api/pipelines/${to}`, more)).statusCode).toBe(200)
    const faultOf = async (runId: number) =>
      store.tenant(org.id, async (own) => {
        const person = { userId: changer.id, platformAdmin: false, idpSavedBy: null }
        return approvers(own).faultOf(runId, { ...person, ceiling: 'SRE · Cloud Admin' })
      })
    await change({ appBranch: 'next' })
    expect(await faultOf((await promote(to, await built(source))).id)).toBeUndefined()
    await change({ strategy: 'all-at-once' })
    const run = await promote(to, await built(source))
    expect(await faultOf(run.id)).toBe('author')
    await deployActivities(harness).deploy(run, hosts)
    expect(await runAt(owner, to, run.id).shown()).toMatchObject({ state: 'succeeded' })
    expect(await faultOf((await promote(to, await built(source))).id)).toBeUndefined()
    // A build of this pipeline has the branch that nobody has looked at.
    expect(await faultOf(await built(to))).toBe('author')
  })

  test('201: the commits are those since the deployment that is the last one when the run begins', async () => {
    const commit = (letter: string) => letter.repeat(40)
    const [a, b, c] = [commit('a'), commit('b'), commit('c')]
    const source = await pipeline()
    const to = await pipeline({ targetWorkspaceId: workspaceId })
    const activities = deployActivities(harness)
    const deploy = async (run: { id: number }) => activities.deploy(run, hosts)
    const first = await promote(to, await built(source, a))
    await deploy(first)
    await deploy(await promote(to, await built(source, b)))
    const back = await owner.post(`/api/pipelines/${to}/runs/${first.id}/rollback`, {})
    expect(back.statusCode, back.body).toBe(201)
    const next = await built(source, c)
    const asked: string[] = []
    const { outbound } = harness.deps
    const app = await createApp({
      ...harness.deps,
      outbound: {
        ...outbound,
        request: async (url, options) => {
          // While the host is asked, the rollback is deployed.
          if (asked.length === 0) await deploy(back.json().run)
          asked.push(String(url))
          return outbound.request(url, options)
        },
      },
    })
    try {
      const answer = await app.inject({
        method: 'POST',
        url: `/api/pipelines/${to}/run`,
        headers: { cookie: `cc_session=${owner.cookie}`, origin: harness.config.baseUrl },
        payload: { artifactOf: next },
      })
      expect(answer.statusCode, answer.body).toBe(201)
      expect(asked.filter((url) => url.includes(b)).length).toBeGreaterThan(0)
      expect(asked.filter((url) => url.includes(a)).length).toBeGreaterThan(0)
    } finally {
      await app.close()
    }
  })

  test('201: who pushed what is promoted is an author of it', async () => {
    const pusher = await org.user('SRE · Cloud Admin')
    const connection = await harness.deps.store.tenant(org.id, async (own) =>
      gitConnections(own).get(connectionId),
    )
    const pushed = async (word: string) => {
      const write = { 'index.html': word }
      await harness.peer.edit('acme/shop', { write, pusher: pusher.email })
      return (await openHost(harness.deps, org.id, connection).head('acme/shop', 'main')) ?? ''
    }
    const source = await pipeline()
    const to = await pipeline({ targetWorkspaceId: workspaceId })
    const first = await promote(to, await built(source, await pushed('one')))
    await deployActivities(harness).deploy(first, hosts)
    const next = await promote(to, await built(source, await pushed('two')))
    expect(await authorsOf(next.id)).toContain(pusher.id)
  })

  test('409: without an artifact, with one that is not kept, and of another repository', async () => {
    const source = await pipeline()
    const to = await pipeline({ targetWorkspaceId: workspaceId })
    const { id: unbuilt } = await applicationRun(harness.deps, org.id, {
      pipelineId: source,
      origin: 'person',
      authorUserId: owner.id,
    })
    expect(await refusal(to, unbuilt)).toEqual([409, 'not_promotable'])
    const gone = await built(source)
    const rows = harness.deps.store.platform('artifacts').where({ pipelineRunId: gone })
    await rows.update({ sweptAt: new Date(), provenance: null })
    expect(await refusal(to, gone)).toEqual([409, 'not_promotable'])
    const other = await built(await pipeline({ appRepo: 'acme/other' }))
    expect(await refusal(to, other)).toEqual([409, 'not_promotable'])
  })

  test('409: without a bill of materials, where the pipeline that deploys it requires one', async () => {
    const source = await pipeline()
    const to = await pipeline({ targetWorkspaceId: workspaceId, sbom: 'required' })
    const without = await built(source)
    const answer = await owner.post(`/api/pipelines/${to}/run`, { artifactOf: without })
    expect([answer.statusCode, answer.json().code, answer.json().error]).toEqual([
      409,
      'not_promotable',
      'This pipeline requires a bill of materials, and the artifact of that run has none.',
    ])
    await promote(to, await built(source, 'd'.repeat(40), { hasSbom: true }))
    // What the pipeline that built it requires says nothing about what another one deploys.
    expect((await owner.patch(`/api/pipelines/${source}`, { sbom: 'required' })).statusCode).toBe(
      200,
    )
    await promote(await pipeline({ targetWorkspaceId: workspaceId }), without)
  })

  test('404: a run of another organization, and one that never was', async () => {
    const from = await built(await pipeline())
    const strangers = await harness.organization()
    const stranger = await strangers.user('Owner')
    const body = harness.body('acme/shop-2', { repoType: 'application' })
    await harness.peer.createRepository('acme/shop-2', { 'index.html': 'hello' })
    const { connection } = (await stranger.post('/api/git/connections', body)).json()
    const own = await pipeline(
      { appGitConnectionId: connection.id, appRepo: 'acme/shop-2' },
      stranger,
    )
    expect(await refusal(own, from, stranger)).toEqual([404, 'not_found'])
    expect(await refusal(await pipeline(), 2_000_000_000)).toEqual([404, 'not_found'])
  })
})
