import { unwrap } from '../../../store/driver/tenant.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { lockInfo, stateClient, stateOf } from '../../api/workspaces/state-client.ts'
import { awaits, isOver, linesOf, runUntil, startRun } from '../../harness/runs.ts'

// A real Postgres, the real HTTP stack, a real Temporal server, the real tofu in the real sandbox.
let harness: Harness
beforeAll(async () => {
  harness = await createHarness({ worker: true })
})
afterAll(() => harness.close())

describe('a standard workspace', () => {
  test('plans, evaluates the gates, approves itself, applies, and leaves outputs and a state version', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const workspace = await org.workspace({ by: owner })
    await owner.post(`${workspace.url}/variables`, {
      key: 'word',
      value: 'open-sesame-123',
      kind: 'terraform',
      sensitive: true,
    })
    const started = await startRun(owner, workspace)
    expect(started).toMatchObject({ number: 1, state: 'running', awaitingApproval: false })

    const run = await runUntil(owner, { workspace, id: started.id }, isOver)
    expect(run, JSON.stringify(run.endMessage)).toMatchObject({
      state: 'succeeded',
      reason: null,
      summary: { add: 1, change: 0, destroy: 0 },
      planDigest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    })
    expect(run.stages.map(({ name, state, by }) => [name, state, by])).toEqual([
      ['plan', 'succeeded', undefined],
      ['approve', 'succeeded', 'self'],
      ['apply', 'succeeded', undefined],
    ])
    expect(run.stages[0]?.gates?.map(({ kind, result }) => [kind, result])).toEqual([
      ['policy', 'pass'],
      ['cost', 'pass'],
    ])
    const outputs = (await owner.get(`${workspace.url}/outputs`)).json()
    expect(outputs.outputs[0]).toMatchObject({ name: 'word', value: 'open-sesame-123' })
    const versions = (await owner.get(`${workspace.url}/state/versions`)).json()
    expect(JSON.stringify(versions)).toContain(`"runId":${run.id}`)
    expect(run.timeline?.map(({ event }) => event)).toEqual([
      'pipeline.run_started',
      'pipeline.run_succeeded',
    ])

    // The output of init is in the plan's log only, and not repeated in the apply's.
    const texts = async (stage: string) =>
      (await linesOf(owner, workspace, { id: run.id, stage })).join('\n')
    expect(await texts('plan')).toContain('successfully initialized')
    expect(await texts('apply')).toContain('terraform_data.one: Creat')
    expect(await texts('apply')).not.toContain('nitializ')

    // The secret is masked in the plan, in both logs and in the logs of the processes.
    const shown = await owner.get(`${workspace.url}/runs/${run.id}`)
    expect(shown.body).not.toContain('open-sesame-123')
    for (const stage of ['plan', 'apply'])
      expect((await linesOf(owner, workspace, { id: run.id, stage })).join('\n')).not.toContain(
        'open-sesame-123',
      )
    expect(harness.logged()).not.toContain('open-sesame-123')
  })

  test('a second run without a change ends succeeded with no_changes', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const workspace = await org.workspace({ by: owner })
    const first = await startRun(owner, workspace)
    const second = await startRun(owner, workspace)
    expect(second).toMatchObject({ number: 2, blockedBy: { kind: 'turn', id: first.id } })
    await runUntil(owner, { workspace, id: first.id }, isOver)
    const run = await runUntil(owner, { workspace, id: second.id }, isOver)
    expect(run).toMatchObject({ state: 'succeeded', reason: 'no_changes' })
  })

  test('a run without a change leaves who changed the workspace an author of the next one', async () => {
    const org = await harness.organization()
    const [owner, other] = [await org.user('Owner'), await org.user('Deployer')]
    const workspace = await org.workspace({ by: owner })
    const { id } = await startRun(owner, workspace)
    await runUntil(owner, { workspace, id }, isOver)
    const variable = { key: 'LATER', kind: 'env', value: 'x' }
    expect((await other.post(`${workspace.url}/variables`, variable)).statusCode).toBe(201)
    const idle = await startRun(owner, workspace)
    expect(await runUntil(owner, { workspace, id: idle.id }, isOver)).toMatchObject({
      reason: 'no_changes',
    })

    const open = await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant)
        .db('workspace_authorship')
        .where({ workspaceId: workspace.id, userId: other.id, appliedAt: null }),
    )
    expect(open).toHaveLength(1)
  })

  test('a state with a serial that leaves no room for another fails the run before it applies', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const workspace = await org.workspace({ by: owner })
    const client = stateClient(harness.app, workspace, await owner.token())
    const info = lockInfo()
    expect((await client.lock(info)).statusCode).toBe(200)
    const state = stateOf(2 ** 52, { outputs: {}, resources: [] })
    expect((await client.write(state, info.ID)).statusCode).toBe(200)
    expect((await client.unlock(info)).statusCode).toBe(200)
    const { id } = await startRun(owner, workspace)
    const run = await runUntil(owner, { workspace, id }, isOver)
    expect(run).toMatchObject({ state: 'failed', reason: 'plan_errored' })
    expect(run.endMessage).toContain('Restore the version with a new lineage')
  })

  test('invalid HCL fails the run, and the message names the place', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const files = { 'main.tf': 'resource "terraform_data" "x" {\n  input = \n}\n' }
    const workspace = await org.workspace({ by: owner, files })
    const { id } = await startRun(owner, workspace)
    const run = await runUntil(owner, { workspace, id }, isOver)
    expect(run).toMatchObject({ state: 'failed', reason: 'plan_errored' })
    const log = (await linesOf(owner, workspace, { id, stage: 'plan' })).join('\n')
    expect(log).toContain('main.tf line 2')
    expect((await owner.get(workspace.url)).json().workspace.locked).toBeNull()
  })

  test('a missing variable fails the run, and the message says where to set it', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const files = { 'main.tf': 'variable "region" {}\noutput "where" { value = var.region }\n' }
    const workspace = await org.workspace({ by: owner, files })
    const { id } = await startRun(owner, workspace)
    const run = await runUntil(owner, { workspace, id }, isOver)
    expect(run).toMatchObject({ state: 'failed', reason: 'plan_errored' })
    expect(run.endMessage).toContain('Set it under Variables of the workspace')
    expect(run.endMessage).not.toContain('-var')
  })

  test('a plan-only run never applies', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const workspace = await org.workspace({ by: owner })
    const response = await owner.post(`${workspace.url}/plan`, {})
    expect(response.statusCode).toBe(201)
    const { id } = response.json().run
    const run = await runUntil(owner, { workspace, id }, isOver)
    expect(run).toMatchObject({ state: 'succeeded', kind: 'plan', number: null })
    expect(run.stages.map(({ name }) => name)).toEqual(['plan'])
    expect((await owner.get(`${workspace.url}/outputs`)).json().outputs ?? []).toEqual([])
  })

  test('a configuration that would store the state elsewhere is refused', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const workspace = await org.workspace({ by: owner })
    const put = await owner.put(`${workspace.url}/configuration`, {
      files: {
        'main.tf': 'resource "terraform_data" "x" {}\n',
        'zzzz_override.tf': 'terraform { \n backend "local" {} \n}\n',
      },
    })
    expect(put.statusCode).toBe(400)
    // The address in a backend block that the product overrides is not used either.
    const files = {
      'main.tf': 'terraform {\n  backend "http" { address = "http://127.0.0.1:9/x" }\n}\n',
    }
    expect((await owner.put(`${workspace.url}/configuration`, { files })).statusCode).toBe(201)
    const { id } = await startRun(owner, workspace)
    const run = await runUntil(owner, { workspace, id }, isOver)
    expect([run.state, run.reason], String(run.endMessage)).toEqual(['succeeded', 'no_changes'])
  })
})

describe('a production workspace', () => {
  test('waits for a second operator, and applies exactly the plan that was approved', async () => {
    const org = await harness.organization()
    const [author, second] = [await org.user('SRE · Cloud Admin'), await org.user('Deployer')]
    const workspace = await org.workspace({ by: author, criticality: 'production' })
    const { id } = await startRun(author, workspace)
    const waiting = await runUntil(author, { workspace, id }, awaits)
    expect(waiting).toMatchObject({
      state: 'running',
      awaitingApproval: true,
      blockedBy: { kind: 'approval', whoCanAct: [second.email] },
    })
    const approve = `/api/pipelines/${workspace.pipelineId}/runs/${id}/approve`

    const own = await author.post(approve, {})
    expect([own.statusCode, own.json().code]).toEqual([403, 'approver_is_author'])
    const other = await second.post(approve, { planDigest: 'sha256:other' })
    expect([other.statusCode, other.json().code]).toEqual([409, 'plan_changed'])
    const stranger = await (await (await harness.organization()).user('Owner')).post(approve, {})
    expect(stranger.statusCode).toBe(404)
    const viewer = await (await org.user('Viewer')).post(approve, {})
    expect(viewer.statusCode).toBe(403)

    const approved = await second.post(approve, { planDigest: waiting.planDigest, comment: 'ok' })
    expect(approved.statusCode, approved.body).toBe(200)
    const run = await runUntil(author, { workspace, id }, isOver)
    expect(run, String(run.endMessage)).toMatchObject({
      state: 'succeeded',
      planDigest: waiting.planDigest,
      approvals: [{ user: second.email, decision: 'approved', planDigest: waiting.planDigest }],
    })
    // The same approver gets the same answer while the run is live, and 409 once it is over.
    const again = await second.post(approve, {})
    expect([again.statusCode, again.json().code]).toEqual([409, 'run_not_waiting'])
    const events = run.timeline?.map(({ event }) => event)
    expect(events).toContain('pipeline.awaiting_approval')
    expect(events).toContain('pipeline.run_approved')
    // The author's attempt was refused, and is in the timeline too.
    expect(events).toContain('pipeline.denied')
  })

  test('rejected: the run ends failed and nothing is applied', async () => {
    const org = await harness.organization()
    const [author, second] = [await org.user('Owner'), await org.user('Deployer')]
    const workspace = await org.workspace({ by: author, criticality: 'production' })
    const { id } = await startRun(author, workspace)
    await runUntil(author, { workspace, id }, awaits)
    // Lists show the waiting run too. A list of pipelines shows only number and state of a finished one.
    const listed = async () => [
      (await author.get('/api/pipelines')).json().pipelines[0].lastRun,
      (await author.get(`/api/pipelines/${workspace.pipelineId}`)).json().pipeline.lastRun,
      (await author.get('/api/workspaces')).json().workspaces[0].lastRun,
    ]
    const paused = { number: 1, state: 'running', awaitingApproval: true }
    expect(await listed()).toEqual([paused, paused, expect.objectContaining({ id, ...paused })])
    const reject = `/api/pipelines/${workspace.pipelineId}/runs/${id}/reject`
    expect((await second.post(reject, { comment: 'not today' })).statusCode).toBe(200)
    const run = await runUntil(author, { workspace, id }, isOver)
    expect(run).toMatchObject({ state: 'failed', reason: 'rejected' })
    const failed = { number: 1, state: 'failed' }
    expect(await listed()).toEqual([failed, failed, expect.objectContaining({ id, ...failed })])
    const approve = `/api/pipelines/${workspace.pipelineId}/runs/${id}/approve`
    expect((await second.post(approve, {})).json().code).toBe('run_not_waiting')
  })

  test('canceled while it waits', async () => {
    const org = await harness.organization()
    const author = await org.user('Owner')
    const workspace = await org.workspace({ by: author, criticality: 'production' })
    const { id } = await startRun(author, workspace)
    await runUntil(author, { workspace, id }, awaits)
    const cancel = `/api/pipelines/${workspace.pipelineId}/runs/${id}/cancel`
    expect((await author.post(cancel)).statusCode).toBe(200)
    const run = await runUntil(author, { workspace, id }, isOver)
    expect(run).toMatchObject({ state: 'canceled', reason: 'canceled_by_user' })
    expect((await author.post(cancel)).json().code).toBe('run_not_waiting')
  })

  test('a changed variable makes the waiting plan stale', async () => {
    const org = await harness.organization()
    const author = await org.user('Owner')
    const workspace = await org.workspace({ by: author, criticality: 'production' })
    const { id } = await startRun(author, workspace)
    await runUntil(author, { workspace, id }, awaits)
    await author.post(`${workspace.url}/variables`, {
      key: 'word',
      value: 'new',
      kind: 'terraform',
    })
    const run = await runUntil(author, { workspace, id }, isOver)
    expect(run).toMatchObject({ state: 'failed', reason: 'plan_stale' })
  })

  test('an approver is deactivated before the apply starts: the run waits again', async () => {
    const org = await harness.organization()
    const [author, second] = [await org.user('Owner'), await org.user('Deployer')]
    const workspace = await org.workspace({ by: author, criticality: 'production' })
    const { id } = await startRun(author, workspace)
    await runUntil(author, { workspace, id }, awaits)
    // The lock keeps the apply from starting at once.
    await author.post(`${workspace.url}/lock`, { reason: 'looking' })
    const approve = `/api/pipelines/${workspace.pipelineId}/runs/${id}/approve`
    expect((await second.post(approve, {})).statusCode).toBe(200)
    await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant).db('users').where({ id: second.id }).update({ active: false }),
    )
    await author.post(`${workspace.url}/unlock`, {})
    const run = await runUntil(author, { workspace, id }, awaits)
    expect(run).toMatchObject({ awaitingApproval: true, state: 'running' })
    expect(run.approvals[0]?.void).toBeDefined()
    expect(run.stages.slice(-2)).toMatchObject([
      { name: 'approve', state: 'waiting' },
      { name: 'apply', state: 'pending' },
    ])
  })
})
