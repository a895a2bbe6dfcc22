import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { awaits, isOver, runUntil, startRun } from '../../harness/runs.ts'
import type { TestWorkspace } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness({ worker: true })
})
afterAll(async () => harness.close())

async function put(by: TestUser, { url }: TestWorkspace, input: string): Promise<void> {
  const files = { 'main.tf': `resource "terraform_data" "one" {\n  input = "${input}"\n}\n` }
  const answer = await by.put(`${url}/configuration`, { files })
  expect(answer.statusCode, answer.body).toBe(201)
}

async function approve(by: TestUser, { pipelineId }: TestWorkspace, id: number): Promise<string> {
  const answer = await by.post(`/api/pipelines/${pipelineId}/runs/${id}/approve`, {})
  return answer.statusCode === 200 ? 'approved' : answer.json().code
}

async function waiting(by: TestUser, workspace: TestWorkspace): Promise<number> {
  const { id } = await startRun(by, workspace)
  await runUntil(by, { workspace, id }, awaits)
  return id
}

async function applied(by: TestUser, workspace: TestWorkspace, id: number): Promise<void> {
  const run = await runUntil(by, { workspace, id }, isOver)
  expect(run, String(run.endMessage)).toMatchObject({ state: 'succeeded', reason: null })
}

test('an apply of an older version leaves who wrote a newer one its author', async () => {
  const org = await harness.organization()
  const [first, author, setter, second] = [
    await org.user('Deployer'),
    await org.user('Deployer'),
    await org.user('Deployer'),
    await org.user('Deployer'),
  ]
  const workspace = await org.workspace({ by: first, criticality: 'production' })
  // The lock keeps the run queued, until another version is there and a variable was changed.
  expect((await first.post(`${workspace.url}/lock`, { reason: 'wait' })).statusCode).toBe(200)
  const { id: older } = await startRun(first, workspace)
  await put(author, workspace, 'written by the author')
  const variable = { key: 'LATER', kind: 'env', value: 'x' }
  expect((await setter.post(`${workspace.url}/variables`, variable)).statusCode).toBe(201)
  expect((await first.post(`${workspace.url}/unlock`, {})).statusCode).toBe(200)
  await runUntil(first, { workspace, id: older }, awaits)
  expect(await approve(second, workspace, older)).toBe('approved')
  await applied(first, workspace, older)

  // What the author wrote is in it, and was never applied.
  await put(first, workspace, 'written by the author, and more')
  const newer = await waiting(first, workspace)
  expect(await approve(author, workspace, newer)).toBe('approver_is_author')
  // The variable was applied with the older version.
  expect(await approve(setter, workspace, newer)).toBe('approved')
  await applied(first, workspace, newer)

  await put(first, workspace, 'written by the first alone')
  const last = await waiting(first, workspace)
  expect(await approve(author, workspace, last)).toBe('approved')
  await applied(first, workspace, last)
})
