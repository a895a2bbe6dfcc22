import type { BudgetFigures } from '../../../domain/finops/budgets/budget.ts'
import { unwrap, type Tenant } from '../../driver/tenant.ts'

export type KeptFigures = { budgetId: number; basis: string; figures: BudgetFigures }

/** Figures of budgets as last computed, each with what it was computed from. */
export function budgetFigures(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  return {
    /** `isWanted`: the forecast is still to be computed. */
    async all(): Promise<Array<KeptFigures & { isWanted: boolean }>> {
      return db('budget_figures')
        .where({ organizationId })
        .select('budgetId', 'basis', 'figures', db.raw('wanted_at is not null as "isWanted"'))
    },

    /**
     * `pending`: those whose forecast is still to be computed, which the task `compute-budgets` does. All in one
     * statement in ascending order of ids, so that two writers at once cannot deadlock.
     */
    async keep({ whole, pending }: Record<'whole' | 'pending', readonly KeptFigures[]>) {
      const kept = [
        ...whole.map((one) => ({ ...one, isWanted: false })),
        ...pending.map((one) => ({ ...one, isWanted: true })),
      ]
      if (kept.length > 0)
        await db.raw(upsert, [organizationId, JSON.stringify(kept), organizationId])
    },
  }
}

// What is pending does not replace what was computed of the same cost.
const upsert = `
  insert into budget_figures (organization_id, budget_id, basis, figures, wanted_at)
  select ?, k."budgetId", k.basis, k.figures, case when k."isWanted" then now() end
  from jsonb_to_recordset(?::jsonb) as k ("budgetId" integer, basis text, figures jsonb, "isWanted" boolean)
    join budgets b on b.organization_id = ? and b.id = k."budgetId"
  order by b.id
  on conflict (organization_id, budget_id) do update
    set basis = excluded.basis, figures = excluded.figures, wanted_at = excluded.wanted_at
    where budget_figures.basis <> excluded.basis
      or excluded.wanted_at is null and budget_figures.wanted_at is not null`

/** What all figures of an organization depend on, beside its settings and the day. */
export async function costMoment(tenant: Tenant): Promise<string> {
  const { db, organizationId } = unwrap(tenant)
  const { rows } = await db.raw(
    `select coalesce((select v.version from cost_versions v where v.organization_id = :organizationId), 0)
       || ':' || count(*) || ':' || coalesce(max(r.updated_at)::text, '') as moment
     from exchange_rates r where r.organization_id = :organizationId`,
    { organizationId },
  )
  return rows[0].moment
}
