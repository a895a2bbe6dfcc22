import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { awaits, getRun, isOver, runUntil, startRun } from '../../harness/runs.ts'
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

const ended = async (files: Record<string, string>, secrets: Record<string, string> = {}) => {
  const workspace = await org.workspace({ by: author, files })
  for (const [name, value] of Object.entries(secrets)) {
    const body = { key: name, value, kind: 'env', sensitive: true }
    const answer = await author.post(`${workspace.url}/variables`, body)
    expect(answer.statusCode, answer.body).toBe(201)
  }
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
  expect(diagnostics.find(({ line }) => line === 3)).toMatchObject({
    snippet: [
      { line: 1, text: 'terraform {}' },
      { line: 2, text: '' },
      { line: 3, text: 'variable "region" {}' },
      { line: 4, text: 'variable "size" {}' },
      { line: 5, text: '' },
    ],
  })
  expect(run).toMatchObject({ outcomes: [], outputs: [] })
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
  const durationMs = expect.any(Number)
  const outcomes = run['outcomes'] as Array<{ address: string }>
  expect(outcomes.toSorted((a, b) => a.address.localeCompare(b.address))).toEqual([
    { address: 'terraform_data.bad', action: 'create', result: 'failed', durationMs },
    { address: 'terraform_data.good', action: 'create', result: 'done', durationMs },
  ])
  const { serial } = run['stateVersion'] as { serial: number }
  const { versions } = (await author.get(`${workspace.url}/state/versions`)).json()
  expect(versions[0].serial).toBe(serial)
})

const key = `key-of-${randomUUID()}`
const warned = `output "plain" { value = { size = 3 } }
output "hidden" {
  value     = "${key}"
  sensitive = true
}
output "leaked" { value = "at ${key}" }
resource "terraform_data" "one" { input = "new" }
check "size" {
  assert {
    condition     = "${key}" == local.none # ${'x'.repeat(600)}
    error_message = "The size is odd."
  }
}
locals { none = "" }
`

test('200: a run that succeeded has its warnings, its outcomes and its outputs', async () => {
  const files = { 'main.tf': warned }
  const { run, workspace, id } = await ended(files, { KEY_OF_ORG: key })
  expect(run).toMatchObject({ state: 'succeeded', endMessage: null })
  const warning = {
    severity: 'warning',
    summary: 'Check block assertion failed',
    detail: expect.stringContaining('The size is odd.'),
    file: 'main.tf',
    line: 10,
  }
  const snippet = [
    { line: 8, text: 'check "size" {' },
    { line: 9, text: '  assert {' },
    { line: 10, text: '    condition     = "[masked]' },
    { line: 11, text: '    error_message = "The size is odd."' },
    { line: 12, text: '  }' },
  ]
  expect(run['diagnostics']).toMatchObject(
    ['plan', 'apply'].map((stage) => ({ ...warning, stage, snippet })),
  )
  expect(run['outcomes']).toEqual([
    {
      address: 'terraform_data.one',
      action: 'create',
      result: 'done',
      durationMs: expect.any(Number),
    },
  ])
  const outputs = [
    { name: 'hidden', type: 'string', sensitive: true },
    { name: 'leaked', type: 'string', value: 'at [masked]', sensitive: true },
    { name: 'plain', type: ['object', { size: 'number' }], value: { size: 3 }, sensitive: false },
  ]
  expect(run).toMatchObject({ outcomesTruncated: false, outputsTruncated: false, outputs })
  // `toMatchObject` would pass over a value.
  expect(run['outputs']).toEqual(outputs)
  const viewer = await org.user('Viewer')
  for (const reader of [viewer, author])
    expect((await reader.get(`${workspace.url}/runs/${id}`)).body).not.toContain(key)
})

test('200: a run that waits has the warnings of its plan already', async () => {
  const workspace = await org.workspace({ by: author, files: { 'main.tf': warned } })
  const { id } = await startRun(author, workspace, { confirm: true })
  const waiting = await runUntil(author, { workspace, id }, awaits)
  expect(waiting).toMatchObject({
    awaitingApproval: true,
    diagnostics: [{ severity: 'warning', stage: 'plan', line: 10 }],
    outcomes: [],
    outputs: [],
  })
})

test('404: the run of another organization tells nothing of its diagnostics', async () => {
  const { workspace, id } = await ended({ 'main.tf': 'variable "region" {}\n' })
  const stranger = await (await harness.organization()).user('Owner')
  const answer = await stranger.get(`${workspace.url}/runs/${id}`)
  expect(answer.statusCode).toBe(404)
  expect(answer.body).not.toContain('region')
})
