import type { Tenant } from '../../store/driver/tenant.ts'
import type { Static } from 'typebox'
import type { PresentedAttribute } from '../../domain/infrastructure/diff-attributes.ts'
import type { PlanEstimate } from '../../domain/finops/estimates/plan-estimate.ts'
import { outcomesIn, type Outcome } from '../../domain/runs/outcomes-in-log.ts'
import type { PlanOverview, PlanRow } from '../../domain/infrastructure/split-plan.ts'
import type { SecretSearch } from '../../domain/secrets/secret-search.ts'
import type { Keyring } from '../../gateways/keyring/keyring.ts'
import { batchesPerPage, openPage } from '../../gateways/keyring/sealed-rows.ts'
import { planChanges } from '../../store/infrastructure/plan-changes.ts'
import { plans } from '../../store/infrastructure/plans.ts'
import { logLines } from '../../store/runs/log-lines.ts'
import { stages } from '../../store/runs/stages.ts'
import { workspaceRuns } from '../../store/runs/workspace-runs.ts'
import type { SealedBatch } from '../../store/sealed-batches.ts'
import { searchForSecrets } from '../../app/workspaces/secrets-of-workspace.ts'
import type { PlanPage } from './plan-page-schema.ts'

/** The largest page as JSON: 1 MiB took 64 to 70 ms of CPU and 29 MB to open, mask and write. */
export const maxPlanPageBytes = 524_288

export type PlanQuery = { workspaceRunId: number; after: number; limit: number; maxBytes: number }
export type ReadPage = PlanQuery & {
  organizationId: number
  overview: PlanOverview
  /** Null of a plan that kept none. */
  estimate: PlanEstimate | null
  batches: SealedBatch[]
  /** Finds values that became sensitive after the rows were made. */
  search: SecretSearch
  /** By address. */
  outcomes: ReadonlyMap<string, Outcome>
}

/** Reads the data of one page of a run's plan: a bounded number of bytes, however long the plan is. */
export async function readPlanPage(
  deps: { keyring: Keyring },
  tenant: Tenant,
  query: PlanQuery,
): Promise<ReadPage | null> {
  const { organizationId } = tenant
  const { workspaceRunId } = query
  const found = await plans(tenant).overview(workspaceRunId)
  if (!found) return null
  const { overview, attempt, estimate } = found
  const limit = batchesPerPage(query.maxBytes)
  const batches = await planChanges(tenant, { workspaceRunId, attempt }).after(query.after, limit)
  const { workspaceId } = await workspaceRuns(tenant).get(workspaceRunId)
  const search = await searchForSecrets(deps, tenant, {
    organizationId,
    workspaceId,
    runId: workspaceRunId,
  })
  const outcomes = await readOutcomes(tenant, workspaceRunId)
  return { ...query, organizationId, overview, estimate, batches, search, outcomes }
}

async function readOutcomes(tenant: Tenant, workspaceRunId: number): Promise<Map<string, Outcome>> {
  const apply = await stages(tenant).find(workspaceRunId, 'apply')
  if (!apply || apply.lastSeq === 0) return new Map()
  const lines = await logLines(tenant).outcomes(apply.id, maxOutcomes)
  return outcomesIn(lines.map(({ line }) => line))
}

const maxOutcomes = 10_000

/** Masks sensitive values. Names of resources stay: they are in the configuration. Keys of instances can be values. */
function coverRow(row: PlanRow, { cover, coverAll }: SecretSearch): PlanRow {
  const attributes = row.attributes.map((attribute) => {
    const { path, before, after } = attribute
    const [shown, then] = [coverShown(before), coverShown(after)]
    const sensitive = attribute.sensitive || shown !== before || then !== after
    return { ...attribute, path: cover(path), before: shown, after: then, sensitive }
  })
  if (row.part === 'output') return { ...row, attributes }
  return {
    ...row,
    attributes,
    address: cover(row.address),
    ...(row.previousAddress !== undefined && { previousAddress: cover(row.previousAddress) }),
    ...(row.importing !== undefined && { importing: { id: cover(row.importing.id) } }),
    ...(row.module !== undefined && { module: cover(row.module) }),
    ...(row.dependsOn !== undefined && { dependsOn: row.dependsOn.map((one) => cover(one)) }),
    ...(typeof row.index === 'string' && { index: cover(row.index) }),
  }

  function coverShown(value: PresentedAttribute['before']): PresentedAttribute['before'] {
    // Masking replaces a text or number by a text, and nothing else.
    return coverAll(value) as PresentedAttribute['before']
  }
}

export function presentPlanPage(
  keyring: Keyring,
  page: ReadPage | null,
): Static<typeof PlanPage> | null {
  if (!page) return null
  const { overview, organizationId, workspaceRunId } = page
  const place = { organizationId, table: 'plan_changes', ownerId: workspaceRunId }
  const opened = openPage<PlanRow>(keyring, place, page)
  const rows = opened.rows.map((row) => {
    const outcome = row.part === 'resource' ? page.outcomes.get(row.address) : undefined
    return { ...coverRow(row, page.search), ...(outcome && { outcome }) }
  })
  return {
    overview,
    resources: rows.filter((row) => row.part === 'resource'),
    outputs: rows.filter((row) => row.part === 'output'),
    drift: rows.filter((row) => row.part === 'drift'),
    nextCursor: opened.nextSeq === null ? null : String(opened.nextSeq),
  }
}
