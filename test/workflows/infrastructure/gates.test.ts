import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { unwrap } from '../../../store/driver/tenant.ts'
import { prices } from '../../../store/finops/prices.ts'
import { policies, type NewPolicy } from '../../../store/policies/policies.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { awaits, isOver, runUntil, startRun } from '../../harness/runs.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness({ worker: true })
})
afterAll(() => harness.close())

const deny = (message: string) =>
  `package cloudcontrol\n\ndeny contains "${message}" if {\n  some change in input.plan.resource_changes\n  change.type == "terraform_data"\n}\n`

async function addPolicy(org: TestOrganization, policy: Partial<NewPolicy>) {
  return harness.deps.store.tenant(org.id, async (tenant) =>
    policies(tenant).create({
      name: 'no data',
      rego: deny('no terraform_data here'),
      enforcement: 'mandatory',
      workspaces: 'all',
      ...policy,
    }),
  )
}

async function finished(org: TestOrganization, fields = {}) {
  const owner = await org.user('Owner')
  const workspace = await org.workspace({ by: owner, fields })
  const { id } = await startRun(owner, workspace)
  return runUntil(owner, { workspace, id }, isOver)
}

describe('the policy gate', () => {
  test('a mandatory policy that denies fails the run, and its message is in the findings', async () => {
    const org = await harness.organization()
    await addPolicy(org, {})
    const run = await finished(org)
    expect(run).toMatchObject({ state: 'failed', reason: 'policy_denied' })
    expect(run.stages[0]?.gates?.[0]).toMatchObject({
      kind: 'policy',
      result: 'fail',
      findings: [{ policy: 'no data', level: 'deny', message: 'no terraform_data here' }],
    })
    expect(run.stages[2]?.state).toBe('skipped')
  })

  test('an advisory policy warns and the run continues', async () => {
    const org = await harness.organization()
    await addPolicy(org, { enforcement: 'advisory' })
    const run = await finished(org)
    expect(run.state).toBe('succeeded')
    expect(run.stages[0]?.gates?.[0]?.result).toBe('warn')
  })

  test('a policy that cannot be evaluated fails the run', async () => {
    const org = await harness.organization()
    const rego = 'package cloudcontrol\n\ndeny contains x if {\n  x := to_number("no number")\n}\n'
    await addPolicy(org, { rego })
    const run = await finished(org)
    expect(run).toMatchObject({ state: 'failed', reason: 'policy_denied' })
    expect(run.stages[0]?.gates?.[0]?.result).toBe('error')
  })

  test('a policy reads sensitive values, and its message is masked', async () => {
    const org = await harness.organization()
    const secret = 'pass-4711-word-4712'
    harness.secrets.note('a sensitive value of a plan', secret)
    const rego = `package cloudcontrol

deny contains sprintf("open to all: %s", [change.change.after.input.from]) if {
  some change in input.plan.resource_changes
  change.change.after.input.from == "0.0.0.0/0"
}

warn contains json.marshal(input.plan)

warn contains change.change.after.input.password if some change in input.plan.resource_changes
`
    await addPolicy(org, { rego })
    const owner = await org.user('Owner')
    const files = {
      'main.tf': `resource "terraform_data" "x" {\n  input = { from = sensitive("0.0.0.0/0"), password = var.password }\n}\nvariable "password" {\n  type = string\n}\n`,
    }
    const workspace = await org.workspace({ by: owner, files })
    await owner.post(`${workspace.url}/variables`, {
      kind: 'terraform',
      key: 'password',
      value: secret,
      sensitive: true,
    })
    const { id } = await startRun(owner, workspace)
    const run = await runUntil(owner, { workspace, id }, isOver)
    expect(run).toMatchObject({ state: 'failed', reason: 'policy_denied' })
    const findings = run.stages[0]?.gates?.[0]?.findings ?? []
    expect(findings).toHaveLength(3)
    expect(findings).toContainEqual(expect.objectContaining({ message: 'open to all: [masked]' }))
    expect(findings).toContainEqual(expect.objectContaining({ message: '[masked]' }))
    expect(JSON.stringify(findings)).not.toContain('4711')
  })

  test('a policy for production does not apply to a standard workspace', async () => {
    const org = await harness.organization()
    await addPolicy(org, { workspaces: 'production' })
    expect((await finished(org)).state).toBe('succeeded')
  })

  test('a policy that was added while a run waited is evaluated before the apply', async () => {
    const org = await harness.organization()
    const [author, second] = [await org.user('Owner'), await org.user('Deployer')]
    const workspace = await org.workspace({ by: author, criticality: 'production' })
    const { id } = await startRun(author, workspace)
    await runUntil(author, { workspace, id }, awaits)
    await addPolicy(org, {})
    const approve = `/api/pipelines/${workspace.pipelineId}/runs/${id}/approve`
    expect((await second.post(approve, {})).statusCode).toBe(200)
    const run = await runUntil(author, { workspace, id }, isOver)
    expect(run).toMatchObject({ state: 'failed', reason: 'policy_denied' })
    const outputs = (await author.get(`${workspace.url}/outputs`)).json().outputs
    expect(outputs).toEqual([])
  })

  test('policies that change while a run waits are evaluated at once, and only a failed gate ends the run', async () => {
    const org = await harness.organization()
    const [author, owner] = [await org.user('Deployer'), await org.user('Owner')]
    const workspace = await org.workspace({ by: author, criticality: 'production' })
    const { id } = await startRun(author, workspace)
    await runUntil(author, { workspace, id }, awaits)
    const add = async (enforcement: string, message: string) => {
      const body = { name: message, rego: deny(message), enforcement, workspaces: 'production' }
      const made = await owner.post('/api/policies', body)
      expect(made.statusCode, made.body).toBe(201)
    }
    await add('advisory', 'mind this')
    const warned = await runUntil(
      author,
      { workspace, id },
      ({ stages }) => stages[0]?.gates?.[0]?.result === 'warn',
    )
    expect(warned).toMatchObject({ state: 'running', awaitingApproval: true })
    await add('mandatory', 'never this')
    const run = await runUntil(author, { workspace, id }, isOver)
    expect(run).toMatchObject({ state: 'failed', reason: 'policy_denied', approvals: [] })
  })
})

describe('the cost gate', () => {
  test('terraform_data is free, so it passes a limit of 0', async () => {
    const org = await harness.organization()
    const run = await finished(org, { costLimitMonthly: 0 })
    expect(run).toMatchObject({ state: 'succeeded', cost: { after: 0, coverage: { free: 1 } } })
  })

  test('a price for another type does not add costs to a free type', async () => {
    const org = await harness.organization()
    await harness.deps.store.tenant(org.id, async (tenant) =>
      prices(tenant).create({
        provider: 'aws',
        resourceType: 'aws_instance',
        match: { instance_type: 't3.micro' },
        monthlyPrice: '7.5',
        currency: 'USD',
        source: 'manual',
        validFrom: '2026-01-01',
      }),
    )
    expect((await finished(org, { costLimitMonthly: 5 })).state).toBe('succeeded')
  })

  test('a price that comes into force while a run waits is counted before the apply', async () => {
    const org = await harness.organization()
    const [author, second] = [await org.user('Owner'), await org.user('Deployer')]
    await harness.deps.store.tenant(org.id, async (tenant) =>
      prices(tenant).create({
        provider: 'terraform',
        resourceType: 'terraform_data',
        match: {},
        monthlyPrice: '900',
        currency: 'USD',
        source: 'manual',
        validFrom: '2999-01-01',
      }),
    )
    const fields = { criticality: 'production', costLimitMonthly: 500 } as const
    const workspace = await org.workspace({ by: author, ...fields, fields })
    const { id } = await startRun(author, workspace)
    expect(await runUntil(author, { workspace, id }, awaits)).toMatchObject({ cost: { after: 0 } })
    // As if the day had come.
    await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant).db('prices').update({ valid_from: '2026-01-01' }),
    )

    const approve = `/api/pipelines/${workspace.pipelineId}/runs/${id}/approve`
    expect((await second.post(approve, {})).statusCode).toBe(200)
    const run = await runUntil(author, { workspace, id }, isOver)
    expect(run).toMatchObject({ state: 'failed', reason: 'cost_exceeded' })
  })

  test('a sensitive value in the address of a resource without a price is masked', async () => {
    const org = await harness.organization()
    await harness.deps.store.tenant(org.id, async (tenant) =>
      prices(tenant).create({
        provider: 'terraform',
        resourceType: 'terraform_data',
        match: {},
        monthlyPrice: '7.5',
        currency: 'EUR',
        source: 'manual',
        validFrom: '2026-01-01',
      }),
    )
    const owner = await org.user('Owner')
    const files = {
      'main.tf':
        'variable "k" {}\nresource "terraform_data" "x" {\n  for_each = toset([var.k])\n}\n',
    }
    const fields = { costLimitMonthly: 5, unpriced: 'deny' }
    const workspace = await org.workspace({ by: owner, files, fields })
    const variable = { kind: 'terraform', key: 'k', value: 's3cr3t-value-99', sensitive: true }
    await owner.post(`${workspace.url}/variables`, variable)
    const { id } = await startRun(owner, workspace)

    const run = await runUntil(owner, { workspace, id }, isOver)

    expect(run).toMatchObject({ state: 'failed', reason: 'cost_unknown' })
    expect(run.endMessage).toContain('[masked]"] has no price in USD')
    const viewer = await org.user('Viewer')
    for (const url of [`${workspace.url}/runs/${id}`, `${workspace.url}/runs`, '/api/runs'])
      expect((await viewer.get(url)).body).not.toContain('s3cr3t-value-99')
  })
})
