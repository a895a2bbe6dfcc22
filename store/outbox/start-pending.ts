/** SQL: whether the start of this workflow is still in the outbox: it is to have a workflow, and has none yet. */
export const startPending = (workflowId: string): string =>
  `exists (select from outbox x where x.kind = 'start' and x.done_at is null and x.dead_at is null
    and x.workflow_id = ${workflowId})`
