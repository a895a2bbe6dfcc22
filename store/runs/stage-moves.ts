import { stageAtEnd, stageStates, type TerminalPhase } from '../../domain/runs/run-state.ts'

/** SQL that changes the stages of the run in `moved` (workspace-runs.ts, `moveWithStages`). */
export type StageMoves = { sql: string; bindings: Record<string, string | string[] | boolean[]> }

const ofMoved = 's.organization_id = moved.organization_id and s.workspace_run_id = moved.id'

/** The plan begins. */
export const planBegins: StageMoves = {
  sql: `update stages s
    set state = 'running', started_at = coalesce(s.started_at, now()), ended_at = null
    from moved where ${ofMoved} and s.name = 'plan'`,
  bindings: {},
}

/** The plan was made and passed its gates: its apply is next, or a second person is. */
export const planPasses = (next: 'apply' | 'approval'): StageMoves => ({
  sql: `update stages s
    set state = step.after, by = case when step.ended and s.name = 'approve' then 'self' else s.by end,
      started_at = coalesce(s.started_at, now()), ended_at = case when step.ended then now() end
    from moved, unnest(:names::text[], :after::text[], :ended::boolean[]) as step (name, after, ended)
    where ${ofMoved} and s.name = step.name`,
  bindings:
    next === 'apply'
      ? {
          names: ['plan', 'approve', 'apply'],
          after: ['succeeded', 'succeeded', 'queued'],
          ended: [true, true, false],
        }
      : { names: ['plan', 'approve'], after: ['succeeded', 'waiting'], ended: [true, false] },
})

/** The plan is approved by this person, and its apply is next. */
export const planApproved = (by: string): StageMoves => ({
  sql: `update stages s
    set state = case s.name when 'approve' then 'succeeded' else 'queued' end,
      by = case s.name when 'approve' then :by else s.by end,
      started_at = coalesce(s.started_at, now()),
      ended_at = case s.name when 'approve' then now() end
    from moved where ${ofMoved} and s.name in ('approve', 'apply')`,
  bindings: { by },
})

/** The run ends: its open stages end with it, as `stageAtEnd` says. */
export function runEnds(end: TerminalPhase): StageMoves {
  const changed = stageStates.filter((state) => stageAtEnd(state, end) !== state)
  return {
    sql: `update stages s
      set state = step.after, ended_at = case when s.started_at is null then s.ended_at else now() end
      from moved, unnest(:before::text[], :after::text[]) as step (before, after)
      where ${ofMoved} and s.state = step.before`,
    bindings: { before: changed, after: changed.map((state) => stageAtEnd(state, end)) },
  }
}
