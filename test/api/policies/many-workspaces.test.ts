import { afterAll, beforeAll, expect, test } from 'vitest'
import { infrastructureRunId } from '../../../workflows/infrastructure/contract.ts'
import { countStatements } from '../../harness/count-statements.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import { awsAccount } from '../clouds/account-bodies.ts'
import { approvedRun } from '../users/approve-as.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness({ mail: 'unsent' })
})
afterAll(async () => harness.close())

type Row = Record<string, unknown>

const ask = async (org: TestOrganization, sql: string, values: Row = {}): Promise<Row[]> => {
  const all = { organizationId: org.id, ...values }
  const { rows } = await harness.deps.store.platform.raw(sql, all)
  return rows
}

/** Production workspaces with a cost limit. Set directly: by the API each takes several requests. */
const addWorkspaces = async (org: TestOrganization, count: number, cloudAccountId = 0) => {
  const rows = await ask(
    org,
    `insert into workspaces (organization_id, name, criticality, cost_limit_monthly, cloud_account_id)
     select :organizationId::integer, 'many-' || gen_random_uuid(), 'production', 100,
       nullif(:cloudAccountId::integer, 0)
     from generate_series(1, :count::integer) returning id`,
    { count, cloudAccountId },
  )
  return rows.map(({ id }) => Number(id)).toSorted((one, other) => one - other)
}

/** The number of statements of one request that has to succeed. */
async function sent<T extends { statusCode: number; body: string }>(request: () => Promise<T>) {
  const { answer, statements } = await countStatements(request)
  expect(answer.statusCode, answer.body).toBeLessThan(300)
  return { answer, count: statements.length }
}

/** What one person changed, with the number of authorships and of workspaces that have one. */
const authorships = async (org: TestOrganization, userId: number) =>
  ask(
    org,
    `select what, count(*)::integer as entries, count(distinct workspace_id)::integer as workspaces
     from workspace_authorship where organization_id = :organizationId and user_id = :userId
     group by what order by what`,
    { userId },
  )

const rego = (message: string) =>
  `package cloudcontrol\n\ndeny contains "${message}" if { input.run.destroy }\n`
const policyOf = (name: string) => ({
  name,
  rego: rego('no'),
  enforcement: 'mandatory',
  workspaces: 'all',
})
const price = {
  provider: 'hashicorp/aws',
  resourceType: 'aws_instance',
  match: { instance_type: 't3.micro' },
  monthlyPrice: 7.59,
  currency: 'USD',
}

test('a change of a policy or price sends as many statements for 50 workspaces as for 2', async () => {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const changes = async () => {
    const made = await sent(async () => owner.post('/api/policies', policyOf('one')))
    const policy = `/api/policies/${made.answer.json().policy.id}`
    const changed = await sent(async () => owner.patch(policy, { rego: rego('never') }))
    const gone = await sent(async () => owner.delete(policy))
    const priced = await sent(async () => owner.post('/api/finops/prices', price))
    const entry = `/api/finops/prices/${priced.answer.json().price.id}`
    const dearer = await sent(async () => owner.patch(entry, { monthlyPrice: 8 }))
    const unpriced = await sent(async () => owner.delete(entry))
    return [made, changed, gone, priced, dearer, unpriced].map(({ count }) => count)
  }
  await changes()
  await addWorkspaces(org, 2)
  const few = await changes()
  await addWorkspaces(org, 48)
  const many = await changes()
  expect(many).toEqual(few)
  // Three changes of 2 workspaces, and three of 50.
  const noted = { entries: 3 * 2 + 3 * 50, workspaces: 50 }
  expect(await authorships(org, owner.id)).toEqual([
    { what: 'policy', ...noted },
    { what: 'price', ...noted },
  ])
})

test('201: a new policy sends back each run that is approved, and wakes the workflows of these alone', async () => {
  const org = await harness.organization()
  const [admin, approver] = [await org.user('Org Admin'), await org.user('Deployer')]
  await addWorkspaces(org, 5)
  const runs = [
    await approvedRun(harness.deps, org, approver),
    await approvedRun(harness.deps, org, approver),
    await approvedRun(harness.deps, org, approver),
  ]
  await addWorkspaces(org, 5)
  const made = await admin.post('/api/policies', policyOf('one'))
  expect(made.statusCode, made.body).toBe(201)
  for (const run of runs)
    expect(await run.now()).toMatchObject({ phase: 'awaiting_approval', approved: false })
  const entries = await ask(
    org,
    `select target_id, detail->>'because' as because, actor_id from audit_entries
     where organization_id = :organizationId and event = 'pipeline.awaiting_approval' order by id`,
  )
  const by = { because: `policy changed by ${admin.email}`, actor_id: admin.id }
  expect(entries).toEqual(runs.map(({ id }) => ({ target_id: String(id), ...by })))
  const woken = await ask(
    org,
    `select workflow_id from outbox
     where organization_id = :organizationId and dedupe_key like 'void:%' order by id`,
  )
  expect(woken.map((row) => row['workflow_id'])).toEqual(
    runs.map(({ id }) => infrastructureRunId({ organizationId: org.id, workspaceRunId: id })),
  )
  const noted = { entries: 13, workspaces: 13 }
  expect(await authorships(org, admin.id)).toEqual([{ what: 'policy', ...noted }])
})

test('a cloud account is changed and disconnected by as many statements for 50 workspaces as for 2', async () => {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const changes = async (count: number) => {
    const { account } = (await owner.post('/api/cloud/accounts', awsAccount())).json()
    const ids = await addWorkspaces(org, count, account.id)
    const url = `/api/cloud/accounts/${account.id}`
    const runs = { plan: { roleArn: `arn:aws:iam::${account.accountId}:role/plan` } }
    const changed = await sent(async () => owner.patch(url, { runs }))
    const gone = await sent(async () => owner.delete(`${url}?detach=true`))
    return { accountId: account.id, ids, counts: [changed.count, gone.count] }
  }
  await changes(1)
  const few = await changes(2)
  const many = await changes(50)
  expect(many.counts).toEqual(few.counts)
  const noted = { entries: 53, workspaces: 53 }
  expect(await authorships(org, owner.id)).toEqual([
    { what: 'cloudAccountId', ...noted },
    { what: 'identities of the cloud account', ...noted },
  ])
  // Each workspace has its own entry, which says what became of it.
  const entries = await ask(
    org,
    `select target_kind, target_id, target_label, outcome, actor_kind, actor_id, actor_label, detail
     from audit_entries where organization_id = :organizationId and event = 'workspace.updated'
       and (detail->'cloudAccountId'->>'from')::integer = :accountId order by id`,
    { accountId: many.accountId },
  )
  expect(entries).toEqual(
    many.ids.map((id) => ({
      target_kind: 'workspace',
      target_id: String(id),
      target_label: null,
      outcome: 'success',
      actor_kind: 'user',
      actor_id: owner.id,
      actor_label: owner.email,
      detail: { cloudAccountId: { from: many.accountId, to: null } },
    })),
  )
})
