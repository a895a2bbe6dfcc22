import { afterAll, beforeAll, expect, test } from 'vitest'
import { hostsBehind } from '../../store/agents/hosts-behind.ts'
import { deployments } from '../../store/deployments/deployments.ts'
import { unwrap, type Tenant } from '../../store/driver/tenant.ts'
import { approvers } from '../../store/runs/approvers.ts'
import { releases } from '../../store/runs/releases.ts'
import { sourceOfRun } from '../../store/runs/source-of-run.ts'
import { sweepArtifacts } from '../../store/runs/sweep-artifacts.ts'
import { countStatements } from '../harness/count-statements.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import type { TestOrganization } from '../harness/test-organization.ts'

let harness: Harness
let org: TestOrganization
beforeAll(async () => {
  harness = await createHarness({ mail: 'unsent' })
  org = await harness.organization()
})
afterAll(async () => harness.close())

const person = { userId: 1, ceiling: 'Owner', platformAdmin: false, idpSavedBy: null } as const
const asked: Array<[string, (tenant: Tenant) => Promise<unknown>]> = [
  ['where hosts go back to', async (tenant) => releases(tenant).lastGood(1, 1, { ofHosts: true })],
  ['what a returning host is given', async (tenant) => hostsBehind(tenant).ofAgent(1)],
  ['who may approve', async (tenant) => approvers(tenant).faultOf(1, person)],
  ['whose builds are promoted', async (tenant) => sourceOfRun(tenant, 1).addAuthorsOfBuild(1)],
  ['which artifacts are in use', async (tenant) => sweepArtifacts(tenant, 30)],
  ['whether runs of a workspace deploy', async (tenant) => deployments(tenant).isByWorkspace(1)],
]

test.each(asked)('the latest deployment is an entry of its index: %s', async (_, ask) => {
  const { statements } = await countStatements(async () => harness.deps.store.tenant(org.id, ask))
  const [statement] = statements.filter((text) => /\bdeployments\b/.test(text))
  const plan = await harness.deps.store.tenant(org.id, async (tenant) => {
    const { db } = unwrap(tenant)
    // Of empty tables any plan is cheap.
    for (const way of ['seqscan', 'bitmapscan', 'sort'])
      await db.raw(`set local enable_${way} = off`)
    const { rows } = await db.raw(`explain (generic_plan) ${statement}`)
    return rows.map((row: Record<string, string>) => row['QUERY PLAN']).join('\n')
  })
  expect(plan).toMatch(/Index (Only )?Scan using deployments_latest/)
  expect(plan).not.toMatch(/Sort Key: .*started_at/)
})
