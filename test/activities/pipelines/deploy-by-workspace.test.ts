import { Readable } from 'node:stream'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { requestApplicationStart } from '../../../app/runs/request-application-start.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import {
  deployActivities,
  deployWorld,
  sha256,
  type DeployWorld,
} from '../../harness/deploy/deploy-world.ts'
import { eventually } from '../../harness/eventually.ts'
import { runAt } from '../../harness/git/application-of.ts'
import { awaits, isOver, linesOf, runUntil } from '../../harness/runs.ts'
import type { TestWorkspace } from '../../harness/test-organization.ts'

const files = {
  'main.tf': `variable "cc_release_digest" {}
variable "cc_release_url" {}
variable "cc_release_commit" {}
resource "terraform_data" "one" { input = [var.cc_release_digest, var.cc_release_url] }
output "digest" { value = var.cc_release_digest }
output "commit" { value = var.cc_release_commit }
`,
}
/** As many bytes as the world says that an artifact has. */
const bytes = 'artifact-1'

// A real worker plans and applies. It gets the application's own run where a test starts its workflow.
describe('deploy.via: workspace', () => {
  let harness: Harness
  let activities: ReturnType<typeof deployActivities>
  let world: DeployWorld
  let workspace: TestWorkspace
  beforeAll(async () => {
    harness = await createHarness({ worker: true })
    activities = deployActivities(harness)
  }, 120_000)
  afterAll(async () => harness.close())

  const worldOf = async (criticality: 'standard' | 'production') => {
    world = await deployWorld(harness, { criticality })
    const { workspace: shown } = (
      await world.owner.get(`/api/workspaces/${world.workspaceId}`)
    ).json()
    const { name, pipelineId } = shown
    workspace = {
      id: world.workspaceId,
      name,
      pipelineId,
      url: `/api/workspaces/${world.workspaceId}`,
    }
    const put = await world.owner.put(`${workspace.url}/configuration`, { files })
    expect(put.statusCode, put.body).toBe(201)
  }
  const built = async (by = world.owner) =>
    world.built({ deploy: 'via: workspace', by, artifact: bytes })
  const runsOfWorkspace = async (): Promise<Array<{ id: number; state: string }>> =>
    (await world.owner.get(`${workspace.url}/runs`)).json().runs
  /** What the run of the workspace was given, from its plan's variables. */
  const waiting = async (id: number) => runUntil(world.owner, { workspace, id }, awaits)

  describe('on production', () => {
    beforeEach(async () => worldOf('production'))

    test('a run of the workspace deploys once a second person approves it; authors of both are refused', async () => {
      await harness.deps.artifacts.put(world.org.id, Readable.from([Buffer.from(bytes)]), {
        maxBytes: 100,
      })
      const deployer = await world.org.user('Deployer')
      const writer = await world.org.user('Deployer')
      const second = await world.org.user('Deployer')
      const run = await built(deployer)
      await harness.deps.store
        .platform('application_runs')
        .where({ pipelineRunId: run.id })
        .update({ authorUserIds: [writer.id] })
      // Nobody approves the application's run itself.
      expect(await run.shown()).toMatchObject({ awaitingApproval: false, state: 'running' })
      await harness.deps.store.tenant(world.org.id, async (tenant) =>
        requestApplicationStart(tenant, {
          id: run.id,
          number: 1,
          pipelineId: world.pipelineId,
          pipelineName: 'shop',
        }),
      )
      const [started] = await eventually(async () => {
        const runs = await runsOfWorkspace()
        return runs.length > 0 && runs
      })
      const id = started?.id ?? 0
      expect(await waiting(id)).toMatchObject({
        awaitingApproval: true,
        origin: { kind: 'deployment', id: run.id },
        message: expect.stringContaining('Deploys run'),
      })
      expect(await run.shown()).toMatchObject({
        state: 'running',
        deployment: { strategy: 'workspace', runId: id, hosts: { total: 0 } },
        blockedBy: {
          kind: 'approval',
          id,
          whoCanAct: expect.arrayContaining([second.email]),
        },
      })
      const approveUrl = `/api/pipelines/${workspace.pipelineId}/runs/${id}/approve`
      for (const author of [deployer, writer])
        expect((await author.post(approveUrl, {})).json()).toMatchObject({
          code: 'approver_is_author',
        })
      const { rows } = await harness.deps.store.platform.raw(
        `select overrides from workspace_runs where id = ?`,
        [id],
      )
      const given = JSON.parse(
        harness.deps.keyring
          .open(
            { organizationId: world.org.id, table: 'workspace_runs', column: 'overrides' },
            rows[0].overrides,
          )
          .toString(),
      )
      const path = new URL(given.cc_release_url).pathname
      const fetched = await harness.app.inject({ url: path })
      expect(fetched.statusCode, fetched.body).toBe(200)
      expect(fetched.body).toBe(bytes)
      expect(fetched.headers['etag']).toBe(`"sha256:${sha256(bytes)}"`)
      const forged = path.replace(`.${run.id}.`, `.${run.id + 1}.`)
      expect((await harness.app.inject({ url: forged })).statusCode).toBe(404)
      // Neither the plan nor the log shows the address.
      const plan = await world.owner.get(`${workspace.url}/runs/${id}/plan`)
      expect(plan.body).not.toContain(path)
      expect((await linesOf(world.owner, workspace, { id, stage: 'plan' })).join()).not.toContain(
        path,
      )

      expect((await second.post(approveUrl, {})).statusCode).toBe(200)
      const done = await runUntil(world.owner, { workspace, id }, isOver)
      expect(done).toMatchObject({ state: 'succeeded' })
      await eventually(async () => (await run.shown()).state !== 'running')
      expect(await run.shown()).toMatchObject({ state: 'succeeded', deployment: { runId: id } })
      const { outputs } = (await world.owner.get(`${workspace.url}/outputs`)).json()
      expect(JSON.stringify(outputs)).toContain(`sha256:${sha256(bytes)}`)
      // The address ends with the time, and says so to who has it.
      await harness.deps.store
        .platform('stages')
        .where({ workspaceRunId: id })
        .update({ startedAt: new Date(Date.now() - 16 * 60_000) })
      const late = await harness.app.inject({ url: path })
      expect(late.statusCode).toBe(404)
      expect(late.json().error).toContain('15 minutes')
      expect(await runsOfWorkspace()).toHaveLength(1)
    })

    test('activities delivered twice and at once start one run; a no to it fails the deployment', async () => {
      const run = await built()
      await Promise.all([activities.open(run.id), activities.open(run.id)])
      await activities.open(run.id)
      expect(await activities.advance(run.id)).toMatchObject({ next: 'wait' })
      const [{ id } = { id: 0 }, ...others] = await runsOfWorkspace()
      expect(others).toEqual([])
      await waiting(id)
      const answer = await world.owner.post(
        `/api/pipelines/${workspace.pipelineId}/runs/${id}/reject`,
        {},
      )
      expect(answer.statusCode, answer.body).toBe(200)
      expect(await activities.advance(run.id)).toEqual({ next: 'end' })
      await activities.end(run.id)
      await activities.end(run.id)
      expect(await activities.next(run.id)).toEqual({ next: 'over' })
      expect(await run.shown()).toMatchObject({ state: 'failed', reason: 'rejected' })
    })

    test('a cancel cancels the run of the workspace; a rollback takes the place of one that waits', async () => {
      const run = await built()
      await activities.open(run.id)
      const [{ id } = { id: 0 }] = await runsOfWorkspace()
      await waiting(id)
      expect((await world.owner.post(`${run.url}/cancel`, {})).statusCode).toBe(200)
      expect(await activities.advance(run.id)).toMatchObject({ next: 'wait' })
      expect(await activities.advance(run.id)).toEqual({ next: 'end' })
      await activities.end(run.id)
      expect(await run.shown()).toMatchObject({ state: 'canceled', reason: 'canceled_by_user' })
      expect(await waiting(id)).toMatchObject({ state: 'canceled' })

      const next = await built()
      await activities.open(next.id)
      const back = (await world.owner.post(`${next.url}/rollback`, {})).json()
      expect(back.warnings ?? []).not.toContain('no_agents')
      const rollback = runAt(world.owner, world.pipelineId, back.run.id)
      expect(await activities.open(rollback.id)).toEqual({ timeoutMs: 30_000 })
      await eventually(async () => (await activities.advance(next.id)).next === 'end')
      await activities.end(next.id)
      expect(await next.shown()).toMatchObject({ state: 'canceled', reason: 'superseded' })
      await activities.open(rollback.id)
      expect(await rollback.shown()).toMatchObject({
        state: 'running',
        deployment: { runId: expect.any(Number) },
      })
    })
  })

  test('a release that was changed after its signature starts no run of the target', async () => {
    await worldOf('standard')
    const run = await built()
    await harness.deps.store
      .platform('artifacts')
      .where({ pipelineRunId: run.id })
      .update({ contentDigest: `sha256:${'e'.repeat(64)}` })
    await activities.open(run.id)
    expect(await run.shown()).toMatchObject({
      state: 'failed',
      reason: 'deploy_errored',
      endMessage: expect.stringContaining('is not what was signed'),
    })
    expect(await runsOfWorkspace()).toEqual([])
  })

  test('a target without files: the run fails and says so; hosts are told nothing', async () => {
    await worldOf('standard')
    await world.hosts.add('a')
    await harness.deps.store
      .platform('configuration_versions')
      .where({ workspaceId: world.workspaceId })
      .delete()
    const run = await built()
    expect(await activities.deploy(run, world.hosts)).toEqual([])
    expect(await run.shown()).toMatchObject({
      state: 'failed',
      reason: 'deploy_errored',
      endMessage: expect.stringContaining('has no files yet'),
    })
    expect(await runsOfWorkspace()).toEqual([])
  })
})
