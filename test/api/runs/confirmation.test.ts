import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ApprovalReason } from '../../../domain/runs/approval-reason.ts'
import { approvals } from '../../../store/runs/approvals.ts'
import { workspaceRuns } from '../../../store/runs/workspace-runs.ts'
import { unwrap } from '../../../store/driver/tenant.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestOrganization, TestWorkspace } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'
import { approvalWorld } from './approval-world.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

type Start = { org: TestOrganization; author: TestUser; workspace: TestWorkspace }

/** A run that waits after its plan, for these reasons, as its worker stores it. */
async function waitingFor(
  { org, author, workspace }: Start,
  approvalReasons: ApprovalReason[] = ['confirm'],
) {
  const run = await approvalWorld(harness).waitingRun(org, author, workspace)
  await harness.deps.store.tenant(org.id, async (tenant) =>
    workspaceRuns(tenant).patch(run.id, { approvalReasons }),
  )
  return run
}

const world = async (criticality: 'standard' | 'production' = 'standard') => {
  const org = await harness.organization()
  const author = await org.user('Deployer')
  return { org, author, workspace: await org.workspace({ by: author, criticality }) }
}

describe('a run that waits for a confirmation', () => {
  test('409: another digest is plan_changed while it waits, and run_not_waiting after that', async () => {
    const start = await world()
    const run = await waitingFor(start)
    const approve = async (planDigest: string | undefined) => {
      const url = `${start.workspace.url}/runs/${run.id}/approve`
      const answer = await start.author.post(url, planDigest === undefined ? {} : { planDigest })
      return [answer.statusCode, answer.json().code]
    }
    const other = `sha256:${'0'.repeat(64)}`
    expect(await approve(other)).toEqual([409, 'plan_changed'])
    expect(await approve(undefined)).toEqual([200, undefined])
    // The same decision again, of the plan that was approved and of another one.
    expect(await approve(undefined)).toEqual([200, undefined])
    expect(await approve(other)).toEqual([409, 'run_not_waiting'])
  })

  test('200: its author may confirm it, and is told so', async () => {
    const start = await world()
    const run = await waitingFor(start)
    const seen = await approvalWorld(harness).seen(start.author, start.workspace, run)
    expect(seen).toMatchObject({
      awaitingApproval: true,
      approvalReasons: ['confirm'],
      approval: { rule: 'confirm' },
      mayApprove: true,
    })
    expect(seen.blockedBy.whoCanAct.join()).toContain(start.author.email)
    const mine = (await start.author.get('/api/console/data')).json().waitingForMe
    expect(mine).toMatchObject([{ id: run.id }])
    expect(await approvalWorld(harness).verdict(start.author, run)).toBe('approved')
  })

  test('403: not by a Viewer, and by nobody but a second person once a budget holds it too', async () => {
    const start = await world()
    const viewer = await start.org.user('Viewer')
    const run = await waitingFor(start)
    expect(await approvalWorld(harness).verdict(viewer, run)).toBe('403 forbidden')
    await harness.deps.store.tenant(start.org.id, async (tenant) =>
      workspaceRuns(tenant).patch(run.id, { approvalReasons: ['confirm', 'budget'] }),
    )
    const { verdict } = approvalWorld(harness)
    expect(await verdict(start.author, run)).toBe('403 approver_is_author')
    expect(await verdict(await start.org.user('Deployer'), run)).toBe('approved')
  })

  test('403: a workspace that becomes a production one needs a second person', async () => {
    const start = await world()
    const run = await waitingFor(start)
    const { verdict, seen } = approvalWorld(harness)
    const second = await start.org.user('Deployer')
    const changed = await second.patch(start.workspace.url, { criticality: 'production' })
    expect(changed.statusCode, changed.body).toBe(200)
    expect(await seen(start.author, start.workspace, run)).toMatchObject({
      approvalReasons: ['confirm', 'production'],
      approval: { rule: 'second_operator' },
      mayApprove: false,
    })
    expect(await verdict(start.author, run)).toBe('403 approver_is_author')
    // Told to the second person, who was told nothing of the confirmation.
    const mails = await harness.deps.store.tenant(start.org.id, async (tenant) =>
      unwrap(tenant).db('mails').where({ workspaceRunId: run.id }).select('userId'),
    )
    expect(mails).toContainEqual({ userId: second.id })
    expect(await verdict(second, run)).toBe('approved')
  })

  test('403: one of a production workspace keeps its rule after the workspace became standard', async () => {
    const start = await world('production')
    const run = await waitingFor(start, ['production'])
    const owner = await start.org.user('Owner')
    await owner.patch(start.workspace.url, { criticality: 'standard' })
    const { verdict } = approvalWorld(harness)
    expect(await verdict(start.author, run)).toBe('403 approver_is_author')
  })

  test('an own confirmation counts as no second look at the files', async () => {
    const start = await world()
    const colleague = await start.org.user('Deployer')
    const run = await waitingFor({ ...start, author: colleague })
    expect(await approvalWorld(harness).verdict(colleague, run)).toBe('approved')
    const seen = await harness.deps.store.tenant(start.org.id, async (tenant) => {
      return approvals(tenant).unseenBecause(await workspaceRuns(tenant).get(run.id), 'x')
    })
    expect(seen).toBe('files')
  })

  test('403: an apply that its author confirmed alone does not clear promotions', async () => {
    const org = await harness.organization()
    const author = await org.user('Org Admin')
    const workspace = await org.workspace({ by: author })
    const { invite, verdict, waitingRun } = approvalWorld(harness)
    const puppet = await invite(org, author)
    const own = await waitingFor({ org, author, workspace })
    expect(await verdict(author, own)).toBe('approved')
    await harness.deps.store.tenant(org.id, async (tenant) => {
      const attempt = { organizationId: org.id, workspaceRunId: own.id, fence: 1, worker: 'test' }
      await unwrap(tenant).db('apply_attempts').insert(attempt)
      await unwrap(tenant).db('workspace_runs').where({ id: own.id }).update({ phase: 'succeeded' })
    })
    await author.patch(workspace.url, { criticality: 'production' })
    const run = await waitingRun(org, author, workspace)
    expect(await verdict(puppet, run)).toBe('403 approver_made_by_author')
  })
})

describe('a start', () => {
  test('201: with a message and a confirmation, through the workspace and through its pipeline', async () => {
    const { author, workspace } = await world()
    for (const url of [`/api/pipelines/${workspace.pipelineId}/run`, `${workspace.url}/apply`]) {
      const started = await author.post(url, { message: '  Widen the net  ', confirm: true })
      expect(started.statusCode, started.body).toBe(201)
      expect(started.json().run).toMatchObject({ message: 'Widen the net', endMessage: null })
    }
    const planned = await author.post(`${workspace.url}/plan`, { message: ' ' })
    expect(planned.json().run).toMatchObject({ message: null, approval: null })
    const { entries } = (await author.get('/api/audit?event=pipeline.run_started')).json()
    expect(entries.at(-1).detail).toMatchObject({ message: 'Widen the net', confirm: true })
  })

  test('400: a message that is too long or no line, a variable twice, and a confirmation of a plan that is never applied', async () => {
    const { author, workspace } = await world()
    // Line breaks, and what turns the text after it around.
    for (const message of ['a'.repeat(501), 'a\nb', 'a\u0007', '\u202ea', 'a\u2028b'])
      for (const path of ['apply', 'plan']) {
        const refused = await author.post(`${workspace.url}/${path}`, { message })
        expect([refused.statusCode, refused.json().details?.[0]?.path]).toEqual([400, 'message'])
      }
    const twice = await harness.app.inject({
      method: 'POST',
      url: `${workspace.url}/apply`,
      payload: '{"vars":{"region":"a","r\\u0065gion":"b"}}',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${await author.token()}`,
      },
    })
    expect([twice.statusCode, twice.json().error]).toEqual([
      400,
      expect.stringContaining('"region" twice'),
    ])
    const plan = await author.post(`${workspace.url}/plan`, { confirm: true })
    expect(plan.statusCode).toBe(400)
    expect((await author.get(`${workspace.url}/runs`)).json().runs).toEqual([])
  })
})

test('200, 403: a Deployer may ask for more confirmations and not for fewer', async () => {
  const { org, author, workspace } = await world()
  for (const confirm of ['destroys', 'always'])
    expect((await author.patch(workspace.url, { confirm })).json().workspace.confirm).toBe(confirm)
  for (const confirm of ['destroys', 'none'])
    expect((await author.patch(workspace.url, { confirm })).statusCode).toBe(403)
  const sre = await org.user('SRE · Cloud Admin')
  expect((await sre.patch(workspace.url, { confirm: 'none' })).statusCode).toBe(200)
})
