/**
 * SQL after `order by`: the deployments of a pipeline, the latest first. One of them is under way at a time. Their
 * runs' ids do not tell their order: a rollback that waits for its approval can be deployed after a newer run.
 */
export const latestFirst = (deployment: string): string =>
  `${deployment}.started_at desc, ${deployment}.pipeline_run_id desc`
