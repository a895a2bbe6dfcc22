import type { Tenant } from '../../store/driver/tenant.ts'
import type { RunReason } from '../../domain/runs/run-state.ts'
import { JobFailure } from '../../gateways/runner/job-failure.ts'
import type { Judged } from '../../gateways/runner/protocol.ts'
import { RunnerLost, superviseJob } from '../../gateways/runner/supervise-job.ts'
import { withBudgetFindings } from '../../domain/finops/budgets/judge-reach.ts'
import { approvalReasonsOf, judgePlanBudgets } from '../../app/finops/judge-plan-budgets.ts'
import { approvalRuleOf } from '../../domain/runs/approval-reason.ts'
import { auditLog, systemActor } from '../../store/audit/audit-log.ts'
import { endRun } from '../../app/runs/end-run.ts'
import { mailApprovers } from '../../app/runs/mail-approvers.ts'
import {
  findJudgedPlan,
  judgedPlan,
  type PlanToApply,
} from '../../store/infrastructure/judged-plan.ts'
import { plans } from '../../store/infrastructure/plans.ts'
import { workspaceRuns } from '../../store/runs/workspace-runs.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'
import type { Deps } from '../deps.ts'
import { memoryExceeded } from './end-of-runner.ts'
import { isJudgedByToday, tellRules, type GateVersions } from './gate-rules.ts'
import { factsOf, planInputs, settingsInput } from './job-inputs.ts'
import { lendBenches } from './lend-benches.ts'
import type { FoundRun } from '../runs/find-run.ts'
import { loadRun } from './load-run.ts'

/**
 * If policies or prices changed while a run waited, evaluates both gates on the stored plan again.
 * Only a gate that fails now ends the run (docs/runs.md, "Digest"). Returns the plan, or that it is
 * gone, or that the run no longer waits for its apply.
 */
export async function recheckGates(
  deps: Deps,
  found: FoundRun,
  signal: AbortSignal,
): Promise<PlanToApply | 'gone' | 'ended'> {
  const { organizationId, run } = found
  const stored = await findJudgedPlan(deps.store, organizationId, run.id)
  if (!stored) return 'gone'
  const { plan } = stored
  if (isJudgedByToday(stored)) return plan

  const judgement = await judgeInRunner(deps, found, { plan, signal }).catch(asFailure)
  return deps.store.tenant(organizationId, async (tenant) => {
    // Before the run's row, as everywhere: decisions lock the two in this order.
    const workspace = await workspaces(tenant).getForUpdate(run.workspaceId)
    const now = await workspaceRuns(tenant).getForUpdate(run.id)
    // Another worker applies the run, or it is over.
    if (now.phase !== 'awaiting_approval' && now.phase !== 'apply_queued') return 'ended'
    const current = await judgedPlan(tenant, run.id)
    if (!current) return 'gone'
    // Another worker has judged the plan meanwhile, by rules that are in force.
    if (isJudgedByToday(current)) return current.plan
    if (judgement instanceof JobFailure) return endFailed(tenant, found, judgement)
    const { judged, judgedBy } = judgement
    const { gates, cost, reach, estimate, denied } = judged
    // Rules that were changed since they were sent end no run, and the plan does not count as judged by them: they may
    // come back before it is judged again.
    const isToday = isJudgedByToday({ ...current, plan: { ...current.plan, ...judgedBy } })
    if (denied && !isToday) return plan
    await plans(tenant).recordVersions(run.id, { ...judgedBy, budgetReach: reach, estimate })
    const budgets = await judgePlanBudgets(tenant, denied ? [] : reach)
    // A run that is to be applied is held by its last check (begin-apply.ts).
    const waits = now.phase === 'awaiting_approval'
    const added = waits ? approvalReasonsOf(workspace, budgets, now) : []
    const approvalReasons = [...new Set([...now.approvalReasons, ...added])]
    await workspaceRuns(tenant).patch(run.id, {
      gates: withBudgetFindings(gates, budgets.findings),
      cost,
      approvalReasons,
    })
    // Its author alone was asked for a confirmation.
    if (approvalRuleOf(now.approvalReasons) !== approvalRuleOf(approvalReasons))
      await mailApprovers(tenant, run)
    await auditLog(tenant, systemActor).record('pipeline.gates_rechecked', {
      target: { kind: 'run', id: run.id, label: workspace.name },
      detail: { result: denied ? denied.reason : 'pass' },
    })
    return denied ? endFailed(tenant, found, denied) : plan
  })
}

/** A plan that cannot be judged within the limits has not passed: the gates fail closed. */
function asFailure(error: unknown): JobFailure {
  if (error instanceof JobFailure) return error
  if (error instanceof RunnerLost && error.how === 'memory_exceeded') return memoryExceeded()
  throw error
}

async function endFailed(
  tenant: Tenant,
  { organizationId, run }: FoundRun,
  { reason, message }: { reason: RunReason; message: string },
): Promise<'ended'> {
  await endRun(
    tenant,
    { organizationId, workspaceRunId: run.id, actor: systemActor },
    { phase: 'failed', reason, message },
  )
  return 'ended'
}

async function judgeInRunner(
  deps: Deps,
  found: FoundRun,
  { plan, signal }: { plan: PlanToApply; signal: AbortSignal },
): Promise<{ judged: Judged; judgedBy: GateVersions & { resourceTypes: string[] } }> {
  const { organizationId, run } = found
  // Policies' messages are masked with them.
  const { secrets } = await loadRun(deps, found, 'plan')
  const benches = lendBenches(deps, { label: `run-${run.id}-judge` })
  const runner = deps.runners.take({ organizationId, workspaceRunId: run.id })
  const rules = tellRules(deps, runner, { organizationId, workspaceId: run.workspaceId })
  const { sensitiveVariables } = plan
  const inputs = async function* () {
    yield settingsInput({
      env: {},
      secrets,
      overrides: [],
      cliConfig: undefined,
      sensitiveVariables,
    })
    yield* planInputs(deps, organizationId, { plan, parts: ['plan_json'], sha256: {} })
  }
  try {
    const judged = await superviseJob(runner, {
      job: { kind: 'judge', run: factsOf(run) },
      inputs: inputs(),
      signal,
      answers: { bench: benches.bench, giveBack: benches.giveBack, rules: rules.rules },
      onLog: async () => undefined,
      onBlob: async () => undefined,
    })
    // Made by a runner of this version (runner/judge-job.ts).
    return { judged: judged as Judged, judgedBy: rules.judgedBy() }
  } finally {
    await benches.close()
  }
}
