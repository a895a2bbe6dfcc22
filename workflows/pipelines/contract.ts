/** Ids alone: payloads are readable in Temporal's UI (docs/temporal.md). */
export type InfrastructureRunInput = { runId: number }

export const infrastructureRunType = 'infrastructureRun'

/** Wakes a run: somebody approved, rejected or canceled, or an approval was voided. It carries nothing. */
export const decidedSignal = 'decided'

export const infrastructureRunId = (run: { organizationId: number; runId: number }): string =>
  `org-${run.organizationId}/infra-run/${run.runId}`

/** What to do next, as the store says it. */
export type RunStep =
  | { next: 'plan' }
  | { next: 'wait'; timeoutMs: number }
  | { next: 'apply' }
  | { next: 'reconcile' }
  | { next: 'over' }

/** Why a run that has changed nothing is given up. */
export type RunFailure = {
  reason: 'runner_lost' | 'timed_out' | 'plan_errored' | 'apply_errored'
  /** Of the fault that the last try ended with. */
  code?: string
}
