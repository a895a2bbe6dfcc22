/** Ids alone: payloads are readable in Temporal's UI. The id of the pipeline run. */
export type ApplicationRunInput = { runId: number }

/** The workflow of a run of an application. */
export const applicationRunId = (run: { organizationId: number; pipelineRunId: number }): string =>
  `org-${run.organizationId}/app-run/${run.pipelineRunId}`
