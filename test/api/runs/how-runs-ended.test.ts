import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { getRun, isOver, runUntil, startRun } from '../../harness/runs.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'

let harness: Harness
let org: TestOrganization
let author: TestUser
beforeAll(async () => {
  harness = await createHarness({ worker: true })
  org = await harness.organization()
  author = await org.user('Deployer')
})
afterAll(async () => harness.close())

const ended = async (files: Record<string, string>) => {
  const workspace = await org.workspace({ by: author, files })
  const { id } = await startRun(author, workspace)
  await runUntil(author, { workspace, id }, isOver)
  // The fields of the detail alone, of which the type of the harness knows nothing.
  const run = (await getRun(author, workspace, id)) as unknown as Record<string, unknown>
  return { workspace, id, run }
}

test('200: a failed plan names each diagnostic with its place, and the variable without a value', async () => {
  const { run } = await ended({
    'main.tf': 'terraform {}\n\nvariable "region" {}\nvariable "size" {}\n',
  })
  expect(run).toMatchObject({ state: 'failed', reason: 'plan_errored', stateVersion: null })
  // OpenTofu goes through variables in any order.
  const diagnostics = run['diagnostics'] as Array<{ line: number }>
  expect(diagnostics.toSorted((a, b) => a.line - b.line)).toMatchObject([
    { severity: 'error', stage: 'plan', file: 'main.tf', line: 3, variable: 'region' },
    { severity: 'error', stage: 'plan', file: 'main.tf', line: 4, variable: 'size' },
  ])
})

test('200: a failed apply names the resource that failed, and what became of each', async () => {
  const failing = 'provisioner "local-exec" { command = "exit 3" }'
  const { run, workspace } = await ended({
    'main.tf': `resource "terraform_data" "good" {}
resource "terraform_data" "bad" {
  depends_on = [terraform_data.good]
  ${failing}
}
resource "terraform_data" "after" { depends_on = [terraform_data.bad] }
`,
  })
  expect(run).toMatchObject({ state: 'failed', reason: 'apply_errored' })
  expect(run['diagnostics']).toMatchObject([
    { stage: 'apply', address: 'terraform_data.bad', file: 'main.tf', line: 4, variable: null },
  ])
  const { resources } = run['plan'] as {
    resources: Array<{ address: string; outcome?: { result: string } }>
  }
  const results = resources.map(({ address, outcome }) => [address, outcome?.result])
  expect(Object.fromEntries(results)).toEqual({
    'terraform_data.good': 'done',
    'terraform_data.bad': 'failed',
    'terraform_data.after': undefined,
  })
  const { serial } = run['stateVersion'] as { serial: number }
  const { versions } = (await author.get(`${workspace.url}/state/versions`)).json()
  expect(versions[0].serial).toBe(serial)
})

test('404: the run of another organization tells nothing of its diagnostics', async () => {
  const { workspace, id } = await ended({ 'main.tf': 'variable "region" {}\n' })
  const stranger = await (await harness.organization()).user('Owner')
  const answer = await stranger.get(`${workspace.url}/runs/${id}`)
  expect(answer.statusCode).toBe(404)
  expect(answer.body).not.toContain('region')
})
