import type { PlatformDb } from '../driver/connect.ts'

/**
 * Organizations of whose budgets a request wanted figures that it did not compute, the longest waiting first. They are
 * claimed for five minutes by moving their time on, without a wait for what another transaction holds, so that of several workers one computes them; what a worker leaves
 * that dies comes again after that.
 */
export async function claimWantedFigures(
  db: PlatformDb,
  limit: number,
): Promise<Array<{ organizationId: number }>> {
  const { rows } = await db.raw(claim, [limit])
  return rows
}

const claim = `
  with due as (
    select organization_id from budget_figures where wanted_at <= now()
    group by 1 order by min(wanted_at), 1 limit ?),
  picked as (
    select f.organization_id, f.budget_id
    from due d join budget_figures f on f.organization_id = d.organization_id
    where f.wanted_at <= now() order by 1, 2 for update of f skip locked),
  claimed as (
    update budget_figures f set wanted_at = now() + interval '5 minutes'
    from picked p where f.organization_id = p.organization_id and f.budget_id = p.budget_id
    returning f.organization_id)
  select distinct organization_id as "organizationId" from claimed`
