import { unwrap, type Tenant } from '../../driver/tenant.ts'

export type BudgetEvent = 'budget.warn' | 'budget.exceeded'

/** Of which month and state a budget has told. */
export function budgetNotices(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  return {
    /** Notes these events of a month (`YYYY-MM`); returns those that were not noted before. Of two at once one gets each. */
    async note(
      budgetId: number,
      { month, events }: { month: string; events: readonly BudgetEvent[] },
    ): Promise<BudgetEvent[]> {
      const noted = await db('budget_notices')
        .insert(events.map((event) => ({ organizationId, budgetId, month: `${month}-01`, event })))
        .onConflict(['organizationId', 'budgetId', 'month', 'event'])
        .ignore()
        .returning('event')
      return noted.map(({ event }) => event)
    },
  }
}
