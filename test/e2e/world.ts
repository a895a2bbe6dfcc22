import type { Harness } from '../harness/create-harness.ts'
import { createIdentityProvider } from '../harness/identity-provider.ts'
import { begunOf, postResponse } from '../harness/saml-organization.ts'
import { awaits, isOver, runUntil, startRun } from '../harness/runs.ts'
import type { TestOrganization, TestWorkspace } from '../harness/test-organization.ts'
import type { TestUser } from '../harness/test-user.ts'
import { withAnomalies, withSpend } from '../harness/cost-world.ts'
import { withCommitments } from '../harness/with-commitments.ts'
import { seedApplication } from './application-world.ts'
import { named } from './people.ts'

const files = {
  'main.tf': `variable "region" { default = "eu-central-1" }
variable "password" {
  default   = "correct horse battery staple"
  sensitive = true
}
resource "terraform_data" "network" { input = { region = var.region, cidr = "10.20.0.0/16" } }
resource "terraform_data" "database" { input = { size = "small", password = var.password } }
resource "terraform_data" "replica" {
  count = 3
  input = "replica \${count.index} of \${var.region}"
}
output "network" { value = terraform_data.network.output }
`,
}
const changed = {
  'main.tf': files['main.tf'].replace('count = 3', 'count = 2').replace('small', 'large'),
  'outputs.tf': 'output "size" { value = "large" }\n',
}
const broken = { 'main.tf': 'resource "terraform_data" "one" { input = var.missing }\n' }

const advice = `package cloudcontrol

deny contains message if {
  some resource in input.plan.resource_changes
  "delete" in resource.change.actions
  message := sprintf("%s would be destroyed: is somebody using it?", [resource.address])
}
`

export type World = {
  org: TestOrganization
  owner: TestUser
  viewer: TestUser
  author: TestUser
  production: TestWorkspace
  /** The address of every page, each with something on it. */
  at: Record<string, string>
}

/** An organization in the midst of its work: something of all that a page can show. */
export async function createWorld(harness: Harness): Promise<World> {
  const org = await harness.organization()
  const owner = await named(harness, org, {
    name: 'Maria Lopez',
    role: 'Owner',
    platformAdmin: true,
  })
  const viewer = await named(harness, org, { name: 'Tom Reader', role: 'Viewer' })
  const author = await named(harness, org, { name: 'Sam Okafor', role: 'Deployer' })
  // By somebody else: who writes a policy has a hand in what runs next, and approves none of it.
  const admin = await named(harness, org, { name: 'Ines Weber', role: 'Org Admin' })
  await admin.patch('/api/org/settings', { name: 'Northwind' })
  const written = await admin.post('/api/policies', {
    name: 'nothing is destroyed unseen',
    rego: advice,
    enforcement: 'advisory',
    workspaces: 'all',
  })
  const { policy } = written.json()
  await setUpSso(harness, org, owner)
  const production = await org.workspace({ by: author, criticality: 'production', files })
  const standard = await org.workspace({ by: author, files })
  const failing = await org.workspace({ by: author, files: broken })
  for (const [workspace, name] of [
    [production, 'shop-production'],
    [standard, 'shop-staging'],
    [failing, 'data-warehouse'],
  ] as const)
    await author.patch(workspace.url, { name })

  const first = await startRun(author, production)
  await runUntil(author, { workspace: production, id: first.id }, awaits)
  await owner.post(`/api/pipelines/${production.pipelineId}/runs/${first.id}/approve`, {
    comment: 'Reviewed with the network team.',
  })
  await runUntil(author, { workspace: production, id: first.id }, isOver)
  await author.put(`${production.url}/configuration`, { files: changed })
  const waiting = await startRun(author, production)
  await runUntil(author, { workspace: production, id: waiting.id }, awaits)
  const queued = await startRun(author, production)
  const done = await startRun(author, standard)
  await runUntil(author, { workspace: standard, id: done.id }, isOver)
  const failed = await startRun(author, failing)
  await runUntil(author, { workspace: failing, id: failed.id }, isOver)
  await author.post(`${standard.url}/lock`, { reason: 'moving the network by hand' })
  await author.post(`${standard.url}/variables`, { key: 'region', value: 'eu-west-1' })
  await author.post(`${standard.url}/variables`, {
    key: 'AWS_SECRET_ACCESS_KEY',
    value: 'secret',
    kind: 'env',
    sensitive: true,
  })
  const plan = (await author.post(`${production.url}/plan`, {})).json().run
  await runUntil(author, { workspace: production, id: plan.id }, isOver)
  await owner.post('/api/auth/tokens', { name: 'ci', role: 'Deployer', expiresInDays: 30 })
  await author.post('/api/auth/tokens', { name: 'laptop', role: 'Viewer', expiresInDays: 7 })

  const anomaly = await withAnomalies(harness, org)
  await withSpend(harness, org)
  await withCommitments(harness, org)
  const unit = await withUnit(author)
  const app = await seedApplication(harness, owner, { workspaceId: production.id, hosts: 12 })
  const run = (id: number) => `/pipelines/${production.pipelineId}/runs/${id}`
  const at = {
    home: '/',
    workspaces: '/workspaces',
    'workspace-create': '/workspaces?create=true',
    'workspace-runs': `/workspaces/${production.id}`,
    'workspace-files': `/workspaces/${production.id}?tab=files`,
    'workspace-variables': `/workspaces/${standard.id}?tab=variables`,
    'workspace-state': `/workspaces/${production.id}?tab=state`,
    'workspace-settings': `/workspaces/${production.id}?tab=settings`,
    runs: '/runs',
    'workspace-start': `/workspaces/${standard.id}?start=true`,
    clouds: '/clouds',
    'cloud-connect': '/clouds/connect',
    'cloud-resources': '/clouds/resources',
    pipelines: '/pipelines',
    pipeline: `/pipelines/${production.pipelineId}`,
    'run-waiting': run(waiting.id),
    'run-queued': run(queued.id),
    'run-done': `${run(first.id)}?tab=plan`,
    'run-log': `${run(first.id)}?tab=log&stage=apply`,
    'run-timeline': `${run(first.id)}?tab=timeline`,
    'run-comments': `${run(first.id)}?tab=comments`,
    'run-failed': `/pipelines/${failing.pipelineId}/runs/${failed.id}`,
    'run-plan-only': `/workspaces/${production.id}/runs/${plan.id}`,
    'workspace-agents': `/workspaces/${production.id}?tab=agents`,
    application: `/pipelines/${app.pipelineId}`,
    'application-settings': `/pipelines/${app.pipelineId}?tab=settings`,
    'application-run': `/pipelines/${app.pipelineId}/runs/${app.deployed}?tab=hosts`,
    'application-run-waiting': `/pipelines/${app.pipelineId}/runs/${app.waiting}?tab=changes`,
    cost: '/cost',
    anomalies: '/cost/anomalies',
    anomaly: `/cost/anomalies/${anomaly.id}`,
    budgets: '/cost/budgets',
    units: '/cost/units',
    unit: `/cost/units/${unit}`,
    unmanaged: '/cost/unmanaged',
    commitments: '/cost/commitments',
    bills: '/cost/bills',
    prices: '/cost/prices',
    'workspace-cost': `/workspaces/${production.id}?tab=cost`,
    notifications: '/organization/notifications',
    people: '/organization',
    roles: '/organization/roles',
    tokens: '/organization/tokens',
    sso: '/organization/sso',
    'sso-tested': '/organization/sso?tested=true',
    provisioning: '/organization/provisioning',
    git: '/organization/git',
    'workspace-git': `/workspaces/${production.id}?tab=git`,
    policies: '/organization/policies',
    policy: `/organization/policies/${policy.id}`,
    'policy-new': '/organization/policies/new',
    'signing-keys': '/organization/signing-keys',
    audit: '/organization/audit',
    'organization-settings': '/organization/settings',
    account: '/account',
    help: '/help',
    'not-found': '/nowhere',
    'no-such-run': run(999_999),
  }
  return { org, owner, viewer, author, production, at }
}

/** Orders of the last days, for the cost of one. */
async function withUnit(author: TestUser): Promise<number> {
  const body = { name: 'Orders', unit: 'order', scopeKind: 'all' }
  const { id } = (await author.post('/api/finops/units', body)).json().unit
  const values = Array.from({ length: 20 }, (_, n) => ({
    day: new Date(Date.now() - n * 86_400_000).toISOString().slice(0, 10),
    value: 900 + ((n * 37) % 211),
  }))
  await author.put(`/api/finops/units/${id}/values`, { values })
  return id
}

/** An identity provider that people came in by, and one that looks after them, each with a failure. */
async function setUpSso(harness: Harness, org: TestOrganization, owner: TestUser): Promise<void> {
  const idp = await createIdentityProvider({ host: 'login.northwind.example' })
  await owner.post('/api/org/saml', {
    metadataXml: idp.metadata(),
    attrEmail: 'email',
    attrGroups: 'groups',
    emailDomains: [`${org.slug}.example`],
  })
  await owner.patch('/api/org/saml', { enabled: true })
  await owner.post('/api/org/group-mappings', { groupName: 'Platform team', role: 'Deployer' })
  for (const attributes of [{ mail: 'ada' }, { email: `ada@${org.slug}.example` }]) {
    const begun = begunOf(harness, org.slug, await owner.post('/api/org/saml/test'))
    await postResponse(harness, begun, idp.response(begun, { nameId: 'ada', attributes }))
  }
  const made = await owner.post('/api/org/scim', { name: 'Okta' })
  const headers = {
    authorization: `Bearer ${made.json().token}`,
    'content-type': 'application/scim+json',
  }
  const user = (userName: string) => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
    userName,
    name: { formatted: 'Grace Hopper' },
    active: true,
  })
  for (const userName of ['grace.hopper', 'grace.hopper'])
    await harness.app.inject({
      method: 'POST',
      url: '/api/scim/v2/Users',
      headers,
      payload: JSON.stringify(user(userName)),
    })
}
