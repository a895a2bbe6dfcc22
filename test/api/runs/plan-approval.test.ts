import { unwrap } from '../../../store/driver/tenant.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { workspaceRuns } from '../../../store/runs/workspace-runs.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { simpleFiles, type TestOrganization } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

/**
 * An organization that requires plan approval on production, and a workspace with files by
 * `author`.
 */
async function guarded({ planApproval = 'unseen', criticality = 'production' as const } = {}) {
  const org = await harness.organization()
  const [admin, author, second] = [
    await org.user('Owner'),
    await org.user('Deployer'),
    await org.user('Deployer'),
  ]
  const set = await admin.patch('/api/org/settings', { planApproval })
  expect([set.statusCode, set.json().planApproval], set.body).toEqual([200, planApproval])
  const workspace = await org.workspace({ by: author, criticality })
  return { org, admin, author, second, workspace }
}

const start = async (by: TestUser, url: string, kind: 'apply' | 'plan') => {
  const answer = await by.post(`${url}/${kind}`, {})
  expect(answer.statusCode, answer.body).toBe(201)
  return answer.json().run
}

/** What a plan needs: a requested workflow and a token. */
const begun = async (org: TestOrganization, workspaceRunId: number) =>
  harness.deps.store.tenant(org.id, async (tenant) => ({
    asked: (
      await unwrap(tenant)
        .db('outbox')
        .where({ kind: 'start' })
        .whereLike('workflowId', `%/${workspaceRunId}`)
    ).length,
    tokens: (await unwrap(tenant).db('tokens').where({ workspaceRunId })).length,
  }))

test.each(['apply', 'plan'] as const)(
  'a run to %s files that only their author has seen waits before its plan',
  async (kind) => {
    const { org, author, second, workspace } = await guarded()
    const run = await start(author, workspace.url, kind)
    expect(run).toMatchObject({
      state: 'running',
      awaitingApproval: false,
      awaitingPlanApproval: true,
      planDigest: null,
      mayApprove: false,
      because: { mayApprove: 'approver_is_author' },
      blockedBy: { kind: 'approval' },
    })
    expect(run.blockedBy.whoCanAct).toContain(second.email)
    expect(run.stages[0]).toMatchObject({ name: 'plan', state: 'waiting' })
    expect(await begun(org, run.id)).toEqual({ asked: 0, tokens: 0 })
    expect((await second.get('/api/console/data')).json().waitingForMe).toMatchObject([
      { id: run.id, awaitingPlanApproval: true },
    ])
    const mails = await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant)
        .db('mails')
        .where({ workspaceRunId: run.id, detail: { stage: 'plan' } })
        .select('userId'),
    )
    expect(mails.map(({ userId }) => userId)).toContain(second.id)
    expect(mails.map(({ userId }) => userId)).not.toContain(author.id)

    const approve = `${workspace.url}/runs/${run.id}/approve`
    const { configurationSha256 } = run
    const told = async (by: TestUser, body: object) => {
      const answer = await by.post(approve, body)
      return [answer.statusCode, answer.json().code]
    }
    expect(await told(author, { configurationSha256 })).toEqual([403, 'approver_is_author'])
    expect(await told(second, {})).toEqual([400, 'files_not_seen'])
    expect(await told(second, { configurationSha256: 'sha256:other' })).toEqual([
      409,
      'configuration_changed',
    ])
    const stranger = await (await harness.organization()).user('Owner')
    expect(await told(stranger, { configurationSha256 })).toEqual([404, 'not_found'])
    expect(await told(await org.user('Viewer'), { configurationSha256 })).toEqual([
      403,
      'forbidden',
    ])
    expect(await begun(org, run.id)).toEqual({ asked: 0, tokens: 0 })

    const approved = await second.post(approve, { configurationSha256 })
    expect(approved.statusCode, approved.body).toBe(200)
    expect(approved.json().run).toMatchObject({
      awaitingPlanApproval: false,
      stages: [{ name: 'plan', state: 'running' }, ...(kind === 'apply' ? [{}, {}] : [])],
      approvals: [{ user: second.email, decision: 'approved', stage: 'plan' }],
    })
    expect((await begun(org, run.id)).asked).toBe(1)
    // A repeated request, as after a lost answer.
    expect(await told(second, { configurationSha256 })).toEqual([200, undefined])
    // Sent again after the plan, the request does not approve the plan.
    await harness.deps.store.tenant(org.id, async (tenant) =>
      workspaceRuns(tenant).move(run.id, ['planning'], {
        phase: 'awaiting_approval',
        planDigest: 'sha256:0',
      }),
    )
    expect(await told(second, { configurationSha256 })).toEqual([200, undefined])
    const now = (await second.get(`${workspace.url}/runs/${run.id}`)).json().run
    expect([now.awaitingApproval, now.approvals.length]).toEqual([true, 1])
  },
)

test('a plan request that is rejected or canceled ends before any program starts', async () => {
  const { org, author, second, workspace } = await guarded()
  const one = await start(author, workspace.url, 'apply')
  const url = `/api/pipelines/${workspace.pipelineId}/runs/${one.id}`
  const rejected = await second.post(`${url}/reject`, { comment: 'no' })
  expect(rejected.json().run).toMatchObject({ state: 'failed', reason: 'rejected' })
  expect((await second.post(`${url}/approve`, {})).json().code).toBe('run_not_waiting')
  const other = await start(author, workspace.url, 'plan')
  const canceled = await author.post(`${workspace.url}/runs/${other.id}/cancel`, {})
  expect(canceled.json().run).toMatchObject({ state: 'canceled', reason: 'canceled_by_user' })
  for (const run of [one, other]) expect(await begun(org, run.id)).toEqual({ asked: 0, tokens: 0 })
})

test('approved files are planned at once; other files wait again, and do not block the queue', async () => {
  const { author, second, workspace } = await guarded()
  const first = await start(author, workspace.url, 'plan')
  const approve = `${workspace.url}/runs/${first.id}/approve`
  const { configurationSha256 } = first
  expect((await second.post(approve, { configurationSha256 })).statusCode).toBe(200)
  expect((await start(author, workspace.url, 'plan')).awaitingPlanApproval).toBe(false)

  const changed = { 'main.tf': `${simpleFiles['main.tf']}# new\n` }
  await author.put(`${workspace.url}/configuration`, { files: changed })
  const waiting = await start(author, workspace.url, 'apply')
  expect(waiting.awaitingPlanApproval).toBe(true)
  // Back to the approved files: the run starts, because the waiting run does not block the queue.
  await author.put(`${workspace.url}/configuration`, { files: simpleFiles })
  const seen = await start(author, workspace.url, 'apply')
  expect(seen).toMatchObject({ awaitingPlanApproval: false, blockedBy: null })
  expect(seen.stages[0].state).toBe('running')
})

test('by default, and on a standard workspace, a plan needs no approval', async () => {
  for (const options of [{ planApproval: 'none' }, { criticality: 'standard' as never }]) {
    const { author, workspace } = await guarded(options)
    const run = await start(author, workspace.url, 'plan')
    expect(run, JSON.stringify(options)).toMatchObject({ awaitingPlanApproval: false })
  }
})

test('a person who weakens the setting is an author of the next run, and the change is audited', async () => {
  const { org, admin, author, second, workspace } = await guarded()
  expect((await author.patch('/api/org/settings', { planApproval: 'none' })).statusCode).toBe(403)
  const settings = { planApproval: 'none' }
  expect((await admin.patch('/api/org/settings', settings)).statusCode).toBe(200)
  const authors = await harness.deps.store.tenant(org.id, async (tenant) =>
    unwrap(tenant)
      .db('workspace_authorship')
      .where({ workspaceId: workspace.id, userId: admin.id })
      .select('what'),
  )
  expect(authors.at(-1)).toEqual({ what: 'planApproval' })
  const { entries } = (await admin.get('/api/audit?event=org.settings_updated')).json()
  expect(entries[0].detail).toEqual({ planApproval: { from: 'unseen', to: 'none' } })
  expect((await start(second, workspace.url, 'plan')).awaitingPlanApproval).toBe(false)
})
