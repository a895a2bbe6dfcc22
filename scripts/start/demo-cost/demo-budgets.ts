import { createBudget } from '../../../api/finops/budgets/create-budget.ts'
import type { NewBudgetBody } from '../../../api/finops/budgets/schemas.ts'
import type { Deps } from '../../../api/deps.ts'
import type { Caller } from '../../../domain/access/caller.ts'
import { budgets } from '../../../store/finops/budgets/budgets.ts'
import { million, type DemoCharge } from './demo-charge.ts'
import { chargesOfMonth, restatedMonth, type DemoTime } from './demo-months.ts'
import type { DemoCloud } from './demo-resource.ts'

const clouds = ['aws', 'azure', 'gcp'] as const satisfies readonly DemoCloud[]

type Spend = { lastMonth: number; thisMonth: number }
type Plan = Omit<NewBudgetBody, 'amountMonthly'> & {
  of: (charge: DemoCharge, cloud: DemoCloud) => boolean
}

/**
 * A budget of each state. Amounts are by what the bills will have cost, so that the states are these on
 * whatever day of a month the demo is filled in.
 */
const amounts = {
  ok: ({ lastMonth }: Spend) => 1.5 * lastMonth,
  /** The forecast reaches it, the actual cost does not. */
  warn: ({ lastMonth, thisMonth }: Spend) => Math.max(0.93 * lastMonth, 1.06 * thisMonth),
  exceeded: ({ lastMonth, thisMonth }: Spend) => Math.min(0.8 * lastMonth, 0.92 * thisMonth),
}

const plansOf = (shopId: number): Array<Plan & { wanted: keyof typeof amounts }> => [
  {
    name: 'All clouds',
    scopeKind: 'all',
    wanted: 'warn',
    of: () => true,
  },
  {
    name: 'Azure',
    scopeKind: 'provider',
    scopeValue: 'azure',
    wanted: 'exceeded',
    of: (_, cloud) => cloud === 'azure',
  },
  {
    name: 'Google Cloud',
    scopeKind: 'provider',
    scopeValue: 'gcp',
    overBudget: 'approve',
    wanted: 'ok',
    of: (_, cloud) => cloud === 'gcp',
  },
  {
    name: 'Team catalog',
    scopeKind: 'tag',
    scopeValue: 'team=catalog',
    wanted: 'ok',
    of: ({ resource }) => resource?.team === 'catalog',
  },
  {
    name: 'demo-shop',
    scopeKind: 'workspace',
    scopeValue: shopId,
    wanted: 'ok',
    of: ({ resource }) => resource?.isShop === true,
  },
]

/** Nobody has this tag yet, so the state is not known. */
const unknown: NewBudgetBody = {
  name: 'Team research, from next month',
  scopeKind: 'tag',
  scopeValue: 'team=research',
  amountMonthly: 1_500,
}

export type DemoBudget = { body: NewBudgetBody; state: 'ok' | 'warn' | 'exceeded' | 'unknown' }

/** The budgets with the states that they will have, once the bills are there. */
export function demoBudgets({ shopId, ...time }: DemoTime & { shopId: number }): DemoBudget[] {
  const spend = spendBy(time)
  const known = plansOf(shopId).map(({ wanted, of, ...body }): DemoBudget => ({
    body: { ...body, amountMonthly: rounded(amounts[wanted](spend(of))) },
    state: wanted,
  }))
  return [...known, { body: unknown, state: 'unknown' }]
}

/** Makes the budgets that are missing, by their names. */
export async function makeDemoBudgets(
  deps: Deps,
  owner: Caller,
  place: DemoTime & { shopId: number },
): Promise<void> {
  const held = await deps.store.tenant(owner.organizationId, async (tenant) =>
    budgets(tenant).all(),
  )
  const names = new Set(held.map(({ name }) => name))
  for (const { body } of demoBudgets(place))
    if (!names.has(body.name)) await createBudget(deps, owner, body)
}

/** Three digits, rounded down, as people choose them. */
function rounded(amount: number): number {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(amount)) - 2)
  return Math.max(1, Math.floor(amount / step) * step)
}

function spendBy({ anchor, today }: DemoTime) {
  const charges = (month: string) =>
    clouds.flatMap((cloud) =>
      chargesOfMonth({ cloud, month, anchor, today }).map((charge) => ({ charge, cloud })),
    )
  const last = charges(restatedMonth(today))
  const current = charges(today.slice(0, 7))
  const sum = (all: typeof last, of: Plan['of']) =>
    all.reduce((total, { charge, cloud }) => total + (of(charge, cloud) ? charge.effective : 0), 0)
  return (of: Plan['of']): Spend => ({
    lastMonth: sum(last, of) / million,
    thisMonth: sum(current, of) / million,
  })
}
