import type { Tenant } from '../../store/driver/tenant.ts'
import { isOff } from '../../domain/finops/estimates/judge-estimate.ts'
import { estimateChecks, type WorkspaceCheck } from '../../store/finops/estimate-checks.ts'
import { notFound } from '../../domain/errors.ts'
import { organizationSettings } from '../../store/organizations/settings.ts'
import { aliveAttempts } from '../../store/infrastructure/apply-attempts.ts'
import { runLabels } from '../../store/runs/run-labels.ts'
import { workspaceResources, type HeldTwice } from '../../store/clouds/workspace-resources.ts'
import { managedPipelines } from '../../store/pipelines/managed-pipelines.ts'
import { configurationVersions } from '../../store/workspaces/configuration-versions.ts'
import { stateVersions } from '../../store/workspaces/state-versions.ts'
import { workspaceLocks, type ListedLock } from '../../store/workspaces/workspace-locks.ts'
import type { Workspace } from '../../store/workspaces/workspaces.ts'
import { presentNewestRun } from './present-newest-run.ts'
import type { WorkspaceBody } from './schemas.ts'

/** Workspaces as callers see them, by a fixed number of statements that are sent together. */
export async function presentWorkspaces(
  tenant: Tenant,
  rows: readonly Workspace[],
): Promise<WorkspaceBody[]> {
  const ids = rows.map(({ id }) => id)
  const [{ currency }, managed, serials, versions, locks, heldTwice, checks] = await Promise.all([
    organizationSettings(tenant),
    managedPipelines(tenant, ids),
    stateVersions(tenant).serialsOf(ids),
    configurationVersions(tenant).numbersOf(ids),
    readLocks(tenant, ids),
    workspaceResources(tenant).heldTwice(ids),
    estimateChecks(tenant).newestOf(ids),
  ])

  const bodies: WorkspaceBody[] = []
  for (const row of rows) {
    const pipeline = managed.find(({ workspaceId }) => workspaceId === row.id)
    // Deleted between two of the statements above.
    if (!pipeline) continue
    bodies.push({
      ...presentSettings(row),
      currency,
      pipelineId: pipeline.id,
      configurationVersion: versions.get(row.id) ?? null,
      stateSerial: serials.get(row.id) ?? null,
      lastRun: pipeline.newest && presentNewestRun(pipeline.newest),
      locked: locks.get(row.id) ?? null,
      warnings: [
        ...presentHeldTwice(heldTwice.get(row.id)),
        ...presentMiss(checks.find(({ workspaceId }) => workspaceId === row.id)),
      ],
    })
  }
  return bodies
}

/** One workspace; not-found if it was deleted concurrently. */
export async function presentWorkspace(tenant: Tenant, row: Workspace): Promise<WorkspaceBody> {
  const [body] = await presentWorkspaces(tenant, [row])
  if (!body) throw notFound()
  return body
}

const presentHeldTwice = (held: HeldTwice | undefined) =>
  held ? [{ code: 'resources_held_twice' as const, total: held.total, resources: held.first }] : []

const presentMiss = (check: WorkspaceCheck | undefined) =>
  check && isOff(check)
    ? [
        {
          code: 'estimate_off' as const,
          runId: check.workspaceRunId,
          afterDays: check.afterDays,
          at: check.day,
          currency: check.currency,
          predicted: check.predicted,
          billed: check.billed,
        },
      ]
    : []

const presentSettings = (row: Workspace) => ({
  id: row.id,
  name: row.name,
  labels: row.labels,
  description: row.description,
  criticality: row.criticality,
  engine: row.engine,
  source: { kind: row.sourceKind, ...row.source },
  cloudAccountId: row.cloudAccountId,
  gitConnectionId: row.gitConnectionId,
  path: row.path,
  autoApply: row.autoApply,
  costLimitMonthly: row.costLimitMonthly === null ? null : Number(row.costLimitMonthly),
  unpriced: row.unpriced,
  confirm: row.confirm,
  needsRefresh: row.needsRefresh,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
})

type LockBody = NonNullable<WorkspaceBody['locked']>

async function readLocks(
  tenant: Tenant,
  workspaceIds: readonly number[],
): Promise<Map<number, LockBody>> {
  const locks = await workspaceLocks(tenant).listOf(workspaceIds)
  const runIds = locks.flatMap(({ workspaceRunId }) => workspaceRunId ?? [])
  const [labels, alive] = await Promise.all([
    runLabels(tenant, runIds),
    aliveAttempts(tenant, runIds),
  ])
  return new Map(
    locks.map((lock) => {
      const { workspaceId, workspaceRunId, kind, label, since, lockId, reason } = lock
      const holder = {
        kind,
        label: (workspaceRunId !== null && labels.get(workspaceRunId)) || label,
        since: since.toISOString(),
        alive: isAlive(lock, alive),
      }
      return [workspaceId, { holder, lockId, reason }]
    }),
  )
}

function isAlive({ kind, workspaceRunId }: ListedLock, alive: ReadonlySet<number>) {
  if (kind === 'user') return true
  if (kind === 'cli' || workspaceRunId === null) return null
  return alive.has(workspaceRunId)
}
