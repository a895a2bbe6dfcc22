import { unwrap } from '../../../store/driver/tenant.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { isOver, linesOf, runUntil, startRun } from '../../harness/runs.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness({ worker: true })
})
afterAll(() => harness.close())

const secret = 'hunter2-hunter2-4711'

/** Every member can read a run's message, as they can its log. */
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
  expect(run.endMessage).toContain('[masked]')
  expect(run.endMessage).not.toContain(secret)
})

// OpenTofu reads `TF_VAR_pw` of the environment as `pw`, so a run overrides it under that name.
test('what a run has in place of a sensitive TF_VAR_ is masked in its message, its log and its plan', async () => {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const files = {
    'main.tf': `variable "pw" {}
resource "terraform_data" "x" {
  input = var.pw
  lifecycle {
    postcondition {
      condition     = self.id == ""
      error_message = "said \${var.pw}"
    }
  }
}
`,
  }
  const workspace = await org.workspace({ by: owner, files })
  const stored = { key: 'TF_VAR_pw', value: 'of-the-workspace', kind: 'env', sensitive: true }
  expect((await owner.post(`${workspace.url}/variables`, stored)).statusCode).toBe(201)
  const { id } = await startRun(owner, workspace, { vars: { pw: secret } })
  const run = await runUntil(owner, { workspace, id }, isOver)
  expect(run.state).toBe('failed')
  expect(run.endMessage).toContain('[masked]')
  const lines = await linesOf(owner, workspace, { id, stage: 'apply' })
  const shown = await owner.get(`${workspace.url}/runs/${id}`)
  for (const text of [lines.join('\n'), shown.body]) expect(text).not.toContain(secret)
  expect(shown.json().run.plan.resources[0].attributes).toContainEqual(
    expect.objectContaining({ path: 'input', sensitive: true }),
  )
})

/** Stored values that today's API refuses. Such a run prints nothing that could contain them. */
test.each([
  ['one that is too short', ['qzx'], 'The sensitive variable "v0" is shorter than 4 characters'],
  [
    'more than can be masked',
    Array.from({ length: 30 }, (_, n) => `${n}-${'v'.repeat(65_000)}`),
    'may take 1048576',
  ],
])('sensitive values that cannot be masked, %s: the run fails before a line', async (...row) => {
  const [, values, message] = row
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const workspace = await org.workspace({ by: owner, files: { 'main.tf': '' } })
  const { keyring, store } = harness.deps
  const place = { organizationId: org.id, table: 'workspace_variables', column: 'value' }
  await store.tenant(org.id, async (tenant) =>
    unwrap(tenant)
      .db('workspace_variables')
      .insert(
        values.map((value, n) => ({
          organizationId: org.id,
          workspaceId: workspace.id,
          key: `v${n}`,
          kind: 'terraform',
          sensitive: true,
          value: keyring.seal(place, value),
          valueMac: keyring.mac('variable', value),
        })),
      ),
  )
  const { id } = await startRun(owner, workspace)
  const run = await runUntil(owner, { workspace, id }, isOver)
  expect(run).toMatchObject({ state: 'failed', reason: 'plan_errored' })
  expect(run.endMessage).toContain(message)
  const logs = await owner.get(`${workspace.url}/runs/${id}/logs?stage=plan`)
  // The log has only the product's own message, because no program was started.
  expect(logs.json().lines).toEqual([{ seq: 1, level: 'error', line: run.endMessage }])
  expect(harness.logged()).not.toContain('qzx')
  expect(harness.logged()).not.toContain('v'.repeat(100))
})

test('variables too large for a program’s arguments: the run fails, names them, and starts no program', async () => {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const inFiles = Array.from({ length: 3 }, (_, n) => `v${n}`)
  const files = {
    'main.tf': inFiles.map((name) => `variable "${name}" {}\n`).join(''),
    'terraform.tfvars': inFiles.map((name) => `${name} = "x"\n`).join(''),
  }
  const workspace = await org.workspace({ by: owner, files })
  for (const key of inFiles)
    await owner.post(`${workspace.url}/variables`, { key, value: 'y'.repeat(60_000) })
  const { id } = await startRun(owner, workspace)
  const run = await runUntil(owner, { workspace, id }, isOver)
  expect(run).toMatchObject({ state: 'failed', reason: 'plan_errored' })
  expect(run.endMessage).toContain('that both this workspace and .tfvars files')
  expect(run.endMessage).toContain('at most 131072')
})

test('200 secrets of 5 KB and a line of partial matches: masked, and the worker lives', async () => {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const files = {
    'main.tf': `variable "v7" {}
output "x" {
  value = nonsensitive("\${var.v7} \${replace(format("%012000d", 0), "0", "eyJ-")}")
}
`,
  }
  const workspace = await org.workspace({ by: owner, files })
  const secretOf = (n: number) => `${n}-${'v'.repeat(5_000)}${n}`
  for (let n = 0; n < 200; n += 1) {
    const variable = { key: `v${n}`, value: secretOf(n), kind: 'terraform', sensitive: true }
    expect((await owner.post(`${workspace.url}/variables`, variable)).statusCode).toBe(201)
  }
  const { id } = await startRun(owner, workspace)
  const run = await runUntil(owner, { workspace, id }, isOver)
  const lines =
    run.state === 'failed' ? await linesOf(owner, workspace, { id, stage: 'apply' }) : []
  expect(run.state, [run.endMessage, ...lines.slice(-10)].join('\n')).toBe('succeeded')
  const logs = await owner.get(`${workspace.url}/runs/${id}/logs?stage=plan`)
  expect(logs.body).not.toContain('v'.repeat(100))
  expect(harness.logged()).not.toContain('v'.repeat(100))
})
