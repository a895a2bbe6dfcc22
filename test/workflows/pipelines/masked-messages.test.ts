import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { isOver, runUntil, startRun } from '../../harness/runs.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness({ worker: true })
})
afterAll(() => harness.close())

const secret = 'hunter2-hunter2-4711'

/** A run's message is shown to every member, as its log is. */
test.each([
  [
    'plan',
    'output "x" {\n  value = 1\n  precondition {\n    condition     = var.pw == ""\n    error_message = "said ${nonsensitive(var.pw)}"\n  }\n}\n',
  ],
  [
    'apply',
    'resource "terraform_data" "x" {\n  lifecycle {\n    postcondition {\n      condition     = self.id == ""\n      error_message = "said ${nonsensitive(var.pw)}"\n    }\n  }\n}\n',
  ],
])('a secret in the words of a failed %s is masked in the run’s message', async (_, text) => {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const files = { 'main.tf': `variable "pw" {\n  sensitive = true\n}\n${text}` }
  const workspace = await org.workspace({ by: owner, files })
  const variable = { key: 'pw', value: secret, kind: 'terraform', sensitive: true }
  expect((await owner.post(`${workspace.url}/variables`, variable)).statusCode).toBe(201)
  const { id } = await startRun(owner, workspace)
  const run = await runUntil(owner, { workspace, id }, isOver)
  expect(run.state).toBe('failed')
  expect(run.message).toContain('[masked]')
  expect(run.message).not.toContain(secret)
})
