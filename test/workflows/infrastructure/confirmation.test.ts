import { afterAll, beforeAll, expect, test } from 'vitest'
import { unwrap } from '../../../store/driver/tenant.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { awaits, isOver, runUntil, startRun } from '../../harness/runs.ts'
import type { TestUser } from '../../harness/test-user.ts'
import type { TestWorkspace } from '../../harness/test-organization.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness({ worker: true })
})
afterAll(async () => harness.close())

type World = Awaited<ReturnType<typeof world>>

async function world(confirm?: 'destroys' | 'always') {
  const org = await harness.organization()
  const author = await org.user('Deployer')
  const second = await org.user('Deployer')
  const fields = confirm ? { confirm } : {}
  return { org, author, second, workspace: await org.workspace({ by: author, fields }) }
}

/** The run once it waits or is over. */
async function planned(author: TestUser, workspace: TestWorkspace, body = {}) {
  const { id } = await startRun(author, workspace, body)
  return runUntil(author, { workspace, id }, awaits)
}

const approve = async (user: TestUser, workspace: TestWorkspace, id: number) =>
  user.post(`/api/pipelines/${workspace.pipelineId}/runs/${id}/approve`, {})

test('a run with confirm: true waits after its plan, and its author confirms it', async () => {
  const { org, author, second, workspace } = await world()
  const run = await planned(author, workspace, { confirm: true, message: 'Look first' })
  expect(run).toMatchObject({
    awaitingApproval: true,
    approvalReasons: ['confirm'],
    approval: { rule: 'confirm' },
    mayApprove: true,
    message: 'Look first',
    summary: { add: 1, change: 0, destroy: 0 },
  })
  const told = await harness.deps.store.tenant(org.id, async (tenant) =>
    unwrap(tenant).db('mails').where({ workspaceRunId: run.id }).select('userId'),
  )
  expect(told).toEqual([{ userId: author.id }])
  const { subject, text } = await harness.mailTo(author.email)
  expect(subject).toContain('waits for your confirmation')
  expect(text.replaceAll(/\s+/g, ' ')).toContain('waits for a confirmation of its plan')
  expect(second.email).not.toBe(author.email)

  expect((await approve(author, workspace, run.id)).statusCode).toBe(200)
  const end = await runUntil(author, { workspace, id: run.id }, isOver)
  expect(end, String(end.endMessage)).toMatchObject({ state: 'succeeded' })
  expect(end.stages[1]).toMatchObject({ name: 'approve', state: 'succeeded', by: author.email })
})

test('confirm: destroys lets a plan pass that destroys nothing, and stops one that does', async () => {
  const { author, workspace } = await world('destroys')
  expect(await planned(author, workspace)).toMatchObject({ state: 'succeeded', approval: null })
  const run = await planned(author, workspace, { destroy: true })
  expect(run).toMatchObject({
    awaitingApproval: true,
    approvalReasons: ['confirm'],
    summary: { destroy: 1 },
  })
  const rejected = await author.post(`${workspace.url}/runs/${run.id}/reject`, {})
  expect(rejected.json().run).toMatchObject({ state: 'failed', reason: 'rejected' })
})

test('confirm: always stops each plan that changes something', async () => {
  const { author, workspace } = await world('always')
  expect(await planned(author, workspace)).toMatchObject({ awaitingApproval: true })
})

test.each([
  ['its author', (people: World) => people.author],
  ['a second person, who did not know that', (people: World) => people.second],
])(
  'the last check: a confirmation by %s is void once the workspace is a production one',
  async (_, by) => {
    const people = await world()
    const { author, second, workspace } = people
    const run = await planned(author, workspace, { confirm: true })
    // A lock holds the run between its confirmation and its apply.
    expect((await second.post(`${workspace.url}/lock`, { reason: 'hold' })).statusCode).toBe(200)
    expect((await approve(by(people), workspace, run.id)).statusCode).toBe(200)
    const changed = await second.patch(workspace.url, { criticality: 'production' })
    expect(changed.statusCode, changed.body).toBe(200)
    expect((await second.post(`${workspace.url}/unlock`, {})).statusCode).toBe(200)
    const again = await runUntil(author, { workspace, id: run.id }, awaits)
    expect(again).toMatchObject({
      awaitingApproval: true,
      approvalReasons: ['confirm', 'production'],
      approval: { rule: 'second_operator' },
      mayApprove: false,
    })
    expect(again.stages[2]).toMatchObject({ name: 'apply', startedAt: null })
    expect((await approve(second, workspace, run.id)).statusCode).toBe(200)
    const end = await runUntil(author, { workspace, id: run.id }, isOver)
    expect(end.state, String(end.endMessage)).toBe('succeeded')
  },
)
