/** Ids alone: payloads are readable in Temporal's UI. The id of the pipeline run. */
export type ApplicationRunInput = { runId: number }

/** The workflow of a run of an application. */
export const applicationRunId = (run: { organizationId: number; pipelineRunId: number }): string =>
  `org-${run.organizationId}/app-run/${run.pipelineRunId}`

export const applicationRunType = 'applicationRun'

/** The next step of such a run, from the store. */
export type ApplicationStep =
  | { next: 'source' }
  | { next: 'build' }
  /** Its artifact is there, and has no bill of materials yet. */
  | { next: 'describe' }
  /** What is known of its artifact is to be signed. */
  | { next: 'sign' }
  /** Its deployment may begin. */
  | { next: 'open' }
  /** Its deployment goes on. */
  | { next: 'advance' }
  | { next: 'wait'; timeoutMs: number }
  | { next: 'over' }

/** Why a run that has used all of its attempts is ended. */
export type ApplicationFailure = {
  reason: 'runner_lost' | 'timed_out' | 'source_errored' | 'build_errored' | 'deploy_errored'
  /** The code of the last attempt's fault. */
  code?: string
}
