/**
 * Ids alone: payloads are readable in Temporal's UI (docs/temporal.md). `runId` is the id of the
 * workspace run, which is `workspaceRunId` everywhere else: the histories of running workflows
 * have this field, so it keeps its name.
 */
export type InfrastructureRunInput = { runId: number }

export const infrastructureRunType = 'infrastructureRun'

export const infrastructureRunId = (run: {
  organizationId: number
  workspaceRunId: number
}): string => `org-${run.organizationId}/infra-run/${run.workspaceRunId}`

/** The next step, from the store. */
export type RunStep =
  | { next: 'plan' }
  | { next: 'wait'; timeoutMs: number }
  | { next: 'apply' }
  | { next: 'reconcile' }
  | { next: 'over' }

/** Why a run that has changed nothing is ended. */
export type RunFailure = {
  reason: 'runner_lost' | 'timed_out' | 'plan_errored' | 'apply_errored'
  /** The code of the last attempt's fault. */
  code?: string
}
