import { auditLog, systemActor } from '../../store/audit/audit-log.ts'
import type { Db } from '../../store/connect.ts'
import { endRun } from '../../store/pipelines/end-run.ts'
import { plans } from '../../store/pipelines/plans.ts'
import { workspaceRuns } from '../../store/pipelines/workspace-runs.ts'
import type { Deps } from '../deps.ts'
import { gateVersions, judgeGates } from './judge-gates.ts'
import type { LoadedRun } from './load-run.ts'
import { openPlan, type OpenedPlan } from './open-plan.ts'

/**
 * When policies or prices changed while a run waited, both gates judge the stored plan
 * again, and only a gate that now fails ends the run (runs.md, Digest). False: it ended.
 */
export async function recheckGates(
  deps: Deps,
  { organizationId, run, workspace, secrets }: LoadedRun,
  signal: AbortSignal,
): Promise<boolean> {
  const plan = await deps.store.tenant(organizationId, async (db) => {
    const opened = await openPlan(deps, db, { organizationId, runId: run.id })
    return opened && !(await isJudgedByToday(db, organizationId, opened)) ? opened : undefined
  })
  if (!plan) return true
  const { planJson, row } = plan

  const judgement = await judgeGates(deps, organizationId, {
    run,
    planJson,
    sensitiveVariables: row.sensitiveVariables,
    secrets,
    signal,
  })
  return deps.store.tenant(organizationId, async (db) => {
    const { policiesVersion, pricesVersion, denied } = judgement
    await plans(db, organizationId).recordVersions(run.id, { policiesVersion, pricesVersion })
    await workspaceRuns(db, organizationId).patch(run.id, {
      gates: judgement.gates,
      cost: judgement.cost,
    })
    await auditLog(db, organizationId, systemActor).record('pipeline.gates_rechecked', {
      target: { kind: 'run', id: run.id, label: workspace.name },
      detail: { result: denied ? denied.reason : 'pass' },
    })
    if (!denied) return true
    await endRun(
      db,
      { organizationId, runId: run.id, actor: systemActor },
      { phase: 'failed', ...denied },
    )
    return false
  })
}

/** Whether the plan was judged by the very policies, prices and limits that are in force. */
export async function isJudgedByToday(
  db: Db,
  organizationId: number,
  { row, planJson }: OpenedPlan,
): Promise<boolean> {
  const { workspaceId } = await workspaceRuns(db, organizationId).get(row.workspaceRunId)
  const now = await gateVersions(db, organizationId, { workspaceId, planJson })
  return now.policiesVersion === row.policiesVersion && now.pricesVersion === row.pricesVersion
}
