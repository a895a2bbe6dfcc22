import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { awaits, isOver, runUntil, startRun } from '../../harness/runs.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness({ worker: true })
})
afterEach(() => vi.restoreAllMocks())
afterAll(async () => harness.close())

/** A production workspace whose files have a module in two folders. Its path is the first of them. */
async function twoFolders() {
  const org = await harness.organization()
  const [author, second] = [await org.user('Deployer'), await org.user('Deployer')]
  const main = (input: string) => `resource "terraform_data" "one" {\n  input = "${input}"\n}\n`
  const workspace = await org.workspace({
    by: author,
    criticality: 'production',
    fields: { path: 'a' },
    files: { 'a/main.tf': main('a'), 'b/main.tf': main('b') },
  })
  return { author, second, workspace }
}

/** Calls `then` once, after the next plan was made and before it is recorded. */
function afterNextPlan(then: () => Promise<unknown>): void {
  const { store } = harness.deps
  const read = store.read.bind(store)
  let called = false
  vi.spyOn(store, 'read').mockImplementation(async (organizationId, query) => {
    // A runner asks for the rules once OpenTofu has planned.
    if (query.name === 'rules-of-workspace' && !called) {
      called = true
      await then()
    }
    return read(organizationId, query)
  })
}

test('a path that is changed while a run plans makes the plan stale: nobody can approve it', async () => {
  const { author, workspace } = await twoFolders()
  afterNextPlan(async () => {
    const changed = await author.patch(workspace.url, { path: 'b' })
    expect(changed.statusCode, changed.body).toBe(200)
  })

  const { id } = await startRun(author, workspace)
  const run = await runUntil(author, { workspace, id }, awaits)

  expect(run).toMatchObject({
    state: 'failed',
    reason: 'plan_stale',
    endMessage: 'The working folder was changed while this was planned. Start a new run.',
    stages: [{ name: 'plan', state: 'succeeded' }, {}, { name: 'apply', state: 'skipped' }],
  })
})

test('a path that is changed while a plan-only run plans does not fail that run', async () => {
  const { author, workspace } = await twoFolders()
  afterNextPlan(async () => author.patch(workspace.url, { path: 'b' }))
  const { id } = (await author.post(`${workspace.url}/plan`, {})).json().run
  expect(await runUntil(author, { workspace, id }, isOver)).toMatchObject({ state: 'succeeded' })
})

test('an approved plan is not applied in another folder than the one it was made in', async () => {
  const { author, second, workspace } = await twoFolders()
  const { id } = await startRun(author, workspace)
  await runUntil(author, { workspace, id }, awaits)
  // As of a change that did not end the run.
  const { platform } = harness.deps.store
  await platform('workspaces').where({ id: workspace.id }).update({ path: 'b' })
  const approve = `/api/pipelines/${workspace.pipelineId}/runs/${id}/approve`
  expect((await second.post(approve, {})).statusCode).toBe(200)

  const run = await runUntil(author, { workspace, id }, isOver)

  expect(run).toMatchObject({ state: 'failed', reason: 'plan_stale' })
  expect(await platform('apply_attempts').where({ workspaceRunId: id })).toEqual([])
})
