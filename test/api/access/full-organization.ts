import { unwrap } from '../../../store/driver/tenant.ts'
import { scoreAnomalies } from '../../../app/finops/score-anomalies.ts'
import { dailyBills, levelCost } from '../../harness/daily-bills.ts'
import { expect } from 'vitest'
import type { TableRoute } from '../../../api/http/route-table.ts'
import {
  gitConnections,
  placeOfToken,
  placeOfWebhookSecret,
} from '../../../store/git/git-connections.ts'
import {
  pipelineVariables,
  placeOfPipelineValue,
} from '../../../store/pipelines/pipeline-variables.ts'
import { resourceRows } from '../../harness/clouds/cloud-rows.ts'
import { applicationPipeline } from '../../harness/application-run.ts'
import { builtRun } from '../../harness/built-run.ts'
import type { Harness } from '../../harness/create-harness.ts'
import { testDeployment } from '../../harness/deployments.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'
import { lockInfo, stateClient, stateOf } from '../workspaces/state-client.ts'

export type FullOrganization = {
  org: TestOrganization
  owner: TestUser
  /** Real ids of this organization for the parameters of a route. */
  paramsFor(route: Pick<TableRoute, 'url'>): Record<string, string>
}

/** An organization with one of each resource that a route's address can name. */
export async function makeFullOrganization(harness: Harness): Promise<FullOrganization> {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const workspace = await org.workspace({ by: owner })
  const post = async (url: string, body: object) => {
    const response = await owner.post(url, body)
    expect(response.statusCode, `${url}: ${response.body}`).toBeLessThan(300)
    return response.json()
  }

  const tofu = stateClient(harness.app, workspace, await owner.token())
  const info = lockInfo()
  await tofu.lock(info)
  expect((await tofu.write(stateOf(1), info.ID)).statusCode).toBe(200)
  await tofu.unlock(info)
  const quarantined = await quarantine(harness, org.id, workspace.id)

  const { variable } = await post(`${workspace.url}/variables`, { key: 'word', value: 'hi' })
  const { pipeline } = await post('/api/pipelines', {
    name: 'own',
    kind: 'infrastructure',
    targetWorkspaceId: workspace.id,
  })
  const { policy } = await post('/api/policies', {
    name: 'own',
    rego: 'package cloudcontrol\n\ndeny contains "no" if { input.run.destroy }\n',
    enforcement: 'advisory',
    workspaces: [workspace.id],
  })
  const { view } = await post('/api/workspace-views', { name: 'own', search: { q: 'own' } })
  const { notification } = await post('/api/notifications', {
    kind: 'email',
    name: 'own',
    recipients: { owners: true },
    events: ['*'],
  })
  const { agent } = await post('/api/agents', { name: 'own', workspaceId: workspace.id })
  const { price } = await post('/api/finops/prices', {
    provider: 'aws',
    resourceType: 'aws_instance',
    monthlyPrice: 1,
    currency: 'USD',
  })
  const { budget } = await post('/api/finops/budgets', {
    name: 'own',
    amountMonthly: 1,
    scopeKind: 'all',
  })
  const { unit } = await post('/api/finops/units', {
    name: 'own',
    unit: 'order',
    scopeKind: 'all',
  })
  const { rate } = await post('/api/finops/rates', {
    month: '2026-01',
    base: 'EUR',
    quote: 'USD',
    rate: 1.1,
  })
  const { account } = await post('/api/cloud/accounts', {
    provider: 'aws',
    name: 'own',
    accountId: '123456789012',
    credentials: { roleArn: 'arn:aws:iam::123456789012:role/cloud-control' },
  })
  const at = { organizationId: org.id, accountId: account.id }
  const [resourceId = 0] = (
    await resourceRows(harness, at, [{ cloudId: 'arn:aws:s3:::own' }])
  ).values()
  const { sync } = await post(`/api/cloud/accounts/${account.id}/sync`, {})
  const { connectionId, hydrationId } = await connectGit(harness, org.id, workspace.id)
  const bill = await suspectBill(harness, org.id)
  const token = await post('/api/auth/tokens', { name: 'own', role: 'Viewer' })
  const [session] = (await owner.get('/api/auth/sessions')).json().sessions
  const { groupMapping } = await post('/api/org/group-mappings', {
    groupName: 'own',
    role: 'Viewer',
  })
  const scim = await post('/api/org/scim', { name: 'own' })
  await post(`${workspace.url}/lock`, {})
  const built = await builtRun(harness.deps, owner, {
    pipelineId: await applicationPipeline(harness.deps, org.id),
    bytes: Buffer.from('an artifact'),
    documents: { spdx: '{"spdxVersion":"SPDX-2.3"}', cyclonedx: '{"specVersion":"1.6"}' },
  })
  const deployed = await testDeployment(harness.deps, org.id, { workspaceId: workspace.id })
  const inPipeline = await post(`/api/pipelines/${pipeline.id}/run`, {})
  const inWorkspace = await post(`${workspace.url}/apply`, {})

  const ids: Record<string, Record<string, number>> = {
    '/api/workspaces/': {
      id: workspace.id,
      variableId: variable.id,
      serial: 1,
      versionId: quarantined,
      runId: inWorkspace.run.id,
      hydrationId,
    },
    '/api/workspace-views/': { id: view.id },
    '/api/cloud/accounts/': { id: account.id, syncId: sync.id },
    '/api/cloud/resources/': { id: resourceId },
    '/api/git/connections/': { id: connectionId },
    '/api/git/webhooks/': { id: connectionId },
    '/api/pipelines/': {
      id: pipeline.id,
      runId: inPipeline.run.id,
      variableId: await variableOf(harness, org.id, pipeline.id),
    },
    '/api/agents/': { id: agent.id },
    '/api/notifications/': { id: notification.id },
    '/api/policies/': { id: policy.id },
    '/api/finops/prices/': { id: price.id },
    '/api/finops/budgets/': { id: budget.id },
    '/api/finops/units/': { id: unit.id },
    '/api/finops/ingests/': { id: bill.ingestId },
    '/api/finops/slices/': { id: bill.sliceId },
    '/api/finops/sources/': { id: bill.sourceId },
    '/api/finops/rates/': { id: rate.id },
    '/api/finops/anomalies/': { id: await anomalyOf(harness, org.id) },
    '/api/auth/tokens/': { id: token.id },
    '/api/auth/sessions/': { id: session.id },
    '/api/org/tokens/': { id: token.id },
    '/api/org/group-mappings/': { id: groupMapping.id },
    '/api/org/scim/': { id: scim.id },
    '/api/org/users/': { id: owner.id },
    '/api/admin/organizations/': { id: org.id },
  }
  return {
    org,
    owner,
    paramsFor({ url }) {
      if (/\/(?:artifact|sbom|provenance|manifest|changes)$/.test(url))
        return { id: String(built.pipelineId), runId: String(built.id) }
      if (url.endsWith('/hosts'))
        return { id: String(deployed.pipelineId), runId: String(deployed.id) }
      const [, known] = Object.entries(ids).find(([prefix]) => url.startsWith(prefix)) ?? []
      if (!known) throw new Error(`${url}: nothing here makes what this address names`)
      return Object.fromEntries(Object.entries(known).map(([name, id]) => [name, String(id)]))
    },
  }
}

/** Written into the store: the pipeline of these tests is its workspace's, and has none by the API. */
async function variableOf(harness: Harness, organizationId: number, pipelineId: number) {
  const { keyring, store } = harness.deps
  return store.tenant(organizationId, async (tenant) => {
    const { id } = await pipelineVariables(tenant, pipelineId).create({
      key: 'OWN',
      phase: 'build',
      sensitive: false,
      value: keyring.seal(placeOfPipelineValue(organizationId), 'hi'),
      valueMac: keyring.mac('variable', 'hi'),
    })
    return id
  })
}

/** A connection to an unreachable host, and a hydration that waits for a decision. */
async function connectGit(harness: Harness, organizationId: number, workspaceId: number) {
  const { keyring, store } = harness.deps
  return store.tenant(organizationId, async (tenant) => {
    const { db } = unwrap(tenant)

    const { id: connectionId } = await gitConnections(tenant).create({
      provider: 'gitlab',
      product: 'gitlab',
      host: '127.0.0.1:1',
      origin: 'https://127.0.0.1:1',
      token: keyring.seal(placeOfToken(organizationId), 'glpat-aaaaaaaaaaaaaaaaaaaa'),
      repoType: 'infra',
      defaultRepo: null,
      defaultBranch: null,
      status: 'healthy',
      statusReason: null,
      createdBy: null,
      webhookSecret: keyring.seal(placeOfWebhookSecret(organizationId), Buffer.alloc(32, 1)),
    })
    const version = await db('configuration_versions').where({ workspaceId }).first('id')
    const [{ id: hydrationId }] = await db('git_hydrations')
      .insert({
        organizationId,
        workspaceId,
        connectionId,
        configurationVersionId: version.id,
        repositoryId: '1',
        branch: 'main',
        state: 'diverged',
      })
      .returning('id')
    return { connectionId, hydrationId }
  })
}

/** Inserts a slice of an upload that waits for a decision. */
async function suspectBill(harness: Harness, organizationId: number) {
  return harness.deps.store.tenant(organizationId, async (tenant) => {
    const { db } = unwrap(tenant)
    const insert = async (table: string, row: object) => {
      const [made] = await db(table)
        .insert({ organizationId, ...row })
        .returning('id')
      return made.id
    }
    const sourceId = await insert('billing_sources', { name: 'own' })
    const ended = { trigger: 'upload', state: 'failed', endedAt: new Date() }
    const ingestId = await insert('billing_ingests', ended)
    const slice = { ingestId, sourceId, period: '2026-10-01', state: 'suspect' }
    return { sourceId, ingestId, sliceId: await insert('billing_slices', slice) }
  })
}

/** Inserts a quarantined state, as a late write of a lost worker leaves it. */
async function quarantine(harness: Harness, organizationId: number, workspaceId: number) {
  return harness.deps.store.tenant(organizationId, async (tenant) => {
    const { db } = unwrap(tenant)

    const { rows } = await db.raw(
      `insert into state_versions (organization_id, workspace_id, serial, lineage, body, body_sha256, status, created_by)
       select organization_id, workspace_id, 2, lineage, body, body_sha256, 'quarantined', created_by
       from state_versions where workspace_id = ? returning id`,
      [workspaceId],
    )
    return rows[0].id
  })
}

async function anomalyOf({ deps }: Harness, organizationId: number): Promise<number> {
  const bills = dailyBills(deps.store, organizationId)
  const lines = levelCost('2026-01-01', 30, { at: { 29: 900 } })
  await scoreAnomalies(deps.store, organizationId, await bills.load(await bills.source(), lines))
  const [row] = await bills.ask('select id from anomalies where organization_id = :organizationId')
  return Number(row?.['id'])
}
