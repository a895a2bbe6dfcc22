import type { PlatformDb } from '../driver/connect.ts'

/**
 * Organizations of whose budgets a request wanted figures that it did not compute, the longest waiting first. They are
 * claimed for five minutes by moving their time on, so that of several workers one computes them; what a worker leaves
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
  claimed as (
    update budget_figures f set wanted_at = now() + interval '5 minutes'
    from due d where f.organization_id = d.organization_id and f.wanted_at <= now()
    returning f.organization_id)
  select distinct organization_id as "organizationId" from claimed`
