import { afterAll, beforeAll, expect, test } from 'vitest'
import { settleApply } from '../../../store/infrastructure/settle-apply.ts'
import { workspaceRuns } from '../../../store/runs/workspace-runs.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { startRun } from '../../harness/runs.ts'
import type { TestOrganization, TestWorkspace } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'
import { approvalWorld, type ApprovalWorld } from './approval-world.ts'

let harness: Harness
let world: ApprovalWorld
beforeAll(async () => {
  harness = await createHarness()
  world = approvalWorld(harness)
})
afterAll(async () => harness.close())

const changesOf = (workspace: TestWorkspace) =>
  harness.deps.store.platform('workspace_authorship').where({ workspaceId: workspace.id })

/** A run of the workspace that ended well, as its worker settles it: it knew of all changes until now. */
async function succeeded(
  org: TestOrganization,
  { by, workspace, destroy }: { by: TestUser; workspace: TestWorkspace; destroy: boolean },
): Promise<void> {
  const { id } = await startRun(by, workspace, { destroy })
  const { id: newest } = await changesOf(workspace).orderBy('id', 'desc').first('id')
  await harness.deps.store.tenant(org.id, async (tenant) => {
    const run = await workspaceRuns(tenant).get(id)
    const how = { isApplied: true, fence: 0 }
    await settleApply(tenant, { ...run, authorshipThrough: newest }, how)
    await workspaceRuns(tenant).move(id, ['queued', 'planning'], { phase: 'succeeded' })
  })
}

const written = async (by: TestUser, { url }: TestWorkspace, word: string) => {
  const files = { 'main.tf': `resource "terraform_data" "${word}" {}\n` }
  expect((await by.put(`${url}/configuration`, { files })).statusCode).toBe(201)
}

test.each([
  ['a run with destroy ends nobody’s authorship', true],
  ['an apply ends that of all who wrote what it applied', false],
])('%s', async (_, destroy) => {
  const org = await harness.organization()
  const [author, starter] = [await org.user('Deployer'), await org.user('Deployer')]
  const workspace = await org.workspace({ by: author, criticality: 'production' })
  await succeeded(org, { by: starter, workspace, destroy })
  expect(await changesOf(workspace).whereNull('appliedAt')).toHaveLength(destroy ? 1 : 0)
  await written(starter, workspace, 'later')
  const run = await world.waitingRun(org, starter, workspace)
  const expected = destroy ? '403 approver_is_author' : 'approved'
  expect(await world.verdict(author, run)).toBe(expected)
})

test('403: who wrote an earlier version, of which only a run with destroy came to an end', async () => {
  const org = await harness.organization()
  const [author, starter] = [await org.user('Deployer'), await org.user('Deployer')]
  const workspace = await org.workspace({ by: author, criticality: 'production' })
  await succeeded(org, { by: starter, workspace, destroy: true })
  // Settled by something else: the versions alone say that the author wrote what comes next is based on.
  await changesOf(workspace).update({ appliedAt: new Date() })
  await written(starter, workspace, 'later')
  const run = await world.waitingRun(org, starter, workspace)
  expect(await world.verdict(author, run)).toBe('403 approver_is_author')
})
