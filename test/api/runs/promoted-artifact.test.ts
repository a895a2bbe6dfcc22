import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { unwrap } from '../../../store/driver/tenant.ts'
import { deleteWithArtifacts } from '../../../store/pipelines/delete-with-artifacts.ts'
import { approvers } from '../../../store/runs/approvers.ts'
import { promotions } from '../../../store/runs/promotions.ts'
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

  const rowOf = async (runId: number) =>
    harness.deps.store.platform('artifacts').where({ pipelineRunId: runId }).first()

  test('404: the pipeline that built it is deleted while a promotion is started', async () => {
    const [source, to] = [await pipeline(), await pipeline()]
    const from = await built(source.id)
    // The promotion found the artifact, and waits for this transaction.
    const { started } = await harness.deps.store.tenant(org.id, async (tenant) => {
      await deleteWithArtifacts(tenant, source.id)
      const { db } = unwrap(tenant)
      const answer = owner.post(`/api/pipelines/${to.id}/run`, { artifactOf: from })
      await expect
        .poll(
          async () => {
            const { rows } = await db.raw(
              'select count(*)::integer as waiting from pg_locks where pg_backend_pid() = any(pg_blocking_pids(pid))',
            )
            return rows[0].waiting
          },
          { timeout: 30_000 },
        )
        .toBeGreaterThan(0)
      return { started: answer }
    })
    expect((await started).statusCode).toBe(404)
  })

  test('200: a pipeline is deleted while another one deploys what it built: that deployment goes on, and is gone back to', async () => {
    const [source, later] = [await pipeline(), await pipeline()]
    const to = await pipeline({ targetWorkspaceId: workspaceId })
    const [from, unused] = [await built(source.id), await built(source.id)]
    const run = await promote(to.id, from)
    expect(await removed(source)).toEqual([200, undefined, undefined])
    expect(await rowOf(unused)).toBeUndefined()
    await deployActivities(harness).deploy(run, hosts)
    const release = { digest: `sha256:${sha256(String(from))}`, keptUntil: null, signed: true }
    expect(await run.shown()).toMatchObject({ state: 'succeeded', artifact: release })
    expect((await owner.get(`${run.url}/provenance`)).statusCode).toBe(200)
    await deployed(to.id, await built(later.id))
    expect(await removed(later)).toEqual([200, undefined, undefined])
    for (const [verb, body] of [
      ['rollback', {}],
      ['rerun', {}],
    ] as const) {
      const again = await owner.post(`${run.url}/${verb}`, body)
      expect(again.statusCode, again.body).toBe(201)
      const next = runAt(owner, to.id, again.json().run.id)
      await deployActivities(harness).deploy(next, hosts)
      expect(await next.shown()).toMatchObject({
        state: 'succeeded',
        commit: { sha: 'c'.repeat(40), branch: 'main' },
        artifact: release,
        deployment: { hosts: { total: 1, healthy: 1 } },
      })
    }
    // With the last pipeline that deployed it, it goes too.
    expect(await rowOf(from)).toBeDefined()
    expect(await removed(to)).toEqual([200, undefined, undefined])
    expect(await rowOf(from)).toBeUndefined()
  })

  test('201: who started the build of a deleted pipeline and who made it what it was are authors of what is promoted next', async () => {
    const { store } = harness.deps
    const changer = await org.user('SRE · Cloud Admin')
    const [source, to, next] = [await pipeline(), await pipeline(), await pipeline()]
    const change = { appBranch: 'next' }
    expect((await changer.patch(`/api/pipelines/${source.id}`, change)).statusCode).toBe(200)
    const from = await built(source.id)
    const [starter, writer] = [await org.user('Deployer'), await org.user('Deployer')]
    const runs = store.platform('application_runs')
    await runs
      .clone()
      .where({ pipelineRunId: from })
      .update({ authorUserId: starter.id, authorUserIds: [writer.id], unknownAuthor: true })
    const run = await promote(to.id, from)
    expect(await removed(source)).toEqual([200, undefined, undefined])
    // As of a rollback to what was deployed there.
    const own = runs.clone().where({ pipelineRunId: run.id })
    await own.update({ authorUserIds: [], unknownAuthor: false })
    const { id } = await promote(next.id, run.id)
    expect(await runs.clone().where({ pipelineRunId: id }).first()).toMatchObject({
      artifactRunId: from,
      authorUserIds: expect.arrayContaining([changer.id, starter.id, writer.id]),
      unknownAuthor: true,
    })
    expect(
      (await owner.post(`/api/pipelines/${next.id}/run`, { artifactOf: from })).statusCode,
    ).toBe(404)
  })

  test('409: what was built from another repository than its pipeline names by now', async () => {
    const { store } = harness.deps
    const [source, to] = [await pipeline(), await pipeline()]
    const from = await built(source.id)
    const refusal = async (artifactOf: number) => {
      const answer = await owner.post(`/api/pipelines/${to.id}/run`, { artifactOf })
      return [answer.statusCode, answer.json().code]
    }
    const builtFrom = async (at: { sourceConnectionId: number; sourceRepo: string }) =>
      store.platform('application_runs').where({ pipelineRunId: from }).update(at)
    await builtFrom({ sourceConnectionId: connectionId, sourceRepo: 'mallory/shop' })
    expect(await refusal(from)).toEqual([409, 'not_promotable'])
    // Of a connection that is gone, whose number no other gets.
    await builtFrom({ sourceConnectionId: connectionId + 1_000_000, sourceRepo: 'acme/shop' })
    expect(await refusal(from)).toEqual([409, 'not_promotable'])
    await builtFrom({ sourceConnectionId: connectionId, sourceRepo: 'ACME/former' })
    const names = { from: 'acme/former', to: 'acme/shop' }
    await store.tenant(org.id, async (own) => promotions(own).renameSource(connectionId, names))
    const run = await promote(to.id, from)
    // Also of a promotion of it, and whatever the pipeline that built it names.
    await store.platform('pipelines').where({ id: source.id }).update({ appRepo: 'acme/next' })
    await promote(to.id, run.id)
    const next = await pipeline({ appRepo: 'acme/next' })
    const answer = await owner.post(`/api/pipelines/${next.id}/run`, { artifactOf: from })
    expect([answer.statusCode, answer.json().code]).toEqual([409, 'not_promotable'])
  })

  test('a promotion has nothing of what its own builds would make, also when the pipeline that built it is deleted', async () => {
    const changer = await org.user('SRE · Cloud Admin')
    const [source, to] = [await pipeline(), await pipeline({ targetWorkspaceId: workspaceId })]
    const change = { appBranch: 'next' }
    expect((await changer.patch(`/api/pipelines/${to.id}`, change)).statusCode).toBe(200)
    const run = await promote(to.id, await built(source.id))
    expect(await removed(source)).toEqual([200, undefined, undefined])
    const fault = await harness.deps.store.tenant(org.id, async (own) =>
      approvers(own).faultOf(run.id, {
        userId: changer.id,
        platformAdmin: false,
        idpSavedBy: null,
        ceiling: 'SRE · Cloud Admin',
      }),
    )
    expect(fault).toBeUndefined()
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
