import { maxBudgetFindings } from '../../domain/finops/budgets/judge-reach.ts'

/**
 * SQL: of the gates of `workspace_runs r` what the comment on a pull request has: kinds, results, and the names of the
 * budgets that the plan would break. A gate has up to 16 KiB of findings, which an attacker makes by many resources
 * that policies warn of; the comment is written after each run of the pull request, and the worker would parse all
 * findings of all of its runs each time.
 */
export const gatesOfComment = `(
  select coalesce(jsonb_agg(
    jsonb_build_object('kind', gate -> 'kind', 'result', gate -> 'result', 'findings', broken.findings)
    order by g.place), '[]')
  from jsonb_array_elements(r.gates) with ordinality as g (gate, place)
    cross join lateral (
      select coalesce(jsonb_agg(
        jsonb_build_object('budget', jsonb_build_object('name', budget), 'breaks', true) order by place), '[]') as findings
      from (select finding #>> '{budget,name}' as budget, place
        from jsonb_array_elements(gate -> 'findings') with ordinality as f (finding, place)
        where finding -> 'breaks' = 'true' and finding #>> '{budget,name}' is not null
        order by place limit ${maxBudgetFindings}) named) broken)`
