import { Type, type Static } from 'typebox'
import { costOfMonth } from '../../app/finops/cost-of-month.ts'
import type { Store } from '../../store/driver/connect.ts'
import { costStand } from '../../store/finops/cost/cost-stand.ts'
import { presentBudget } from '../finops/budgets/present-budget.ts'
import { BudgetBody } from '../finops/budgets/schemas.ts'
import { tagOf } from '../finops/cost/answer-by-version.ts'
import { answerOrPassing, keepAnswers, PassingAnswer } from '../finops/cost/keep-answers.ts'
import { Nullable } from '../http/schemas.ts'

export const HomeCostBody = Type.Object({
  /** Of the current UTC month. */
  monthToDate: Type.Number(),
  monthComplete: Nullable(
    Type.Number({
      description:
        'Of the current month, up to the day up to which it is complete: what monthBefore is compared with. Null where no day of it is.',
    }),
  ),
  monthBefore: Nullable(
    Type.Number({
      description:
        'Of the month before, up to the day up to which this month is complete; null where no day of it is.',
    }),
  ),
  /** At the month's end; null under 14 days of history, and where money of the last 56 days has no exchange rate. */
  forecast: Nullable(Type.Number()),
  currency: Type.String(),
  budgets: Type.Array(BudgetBody),
  /** At most 500 are counted. */
  openAnomalies: Type.Integer(),
})
type HomeCost = Static<typeof HomeCostBody>

const mebibyte = 1_048_576
const kept = { maxBytes: 8 * mebibyte, maxBytesOfOne: mebibyte, maxBytesAnAnswer: mebibyte }

/**
 * The cost of the first page, which the console asks for every few seconds: made once for each version of the
 * cost and day. What else it depends on is in its key, so nothing needs to be invalidated.
 */
export function keepHomeCost(store: Store): (organizationId: number) => Promise<HomeCost> {
  const answers = keepAnswers(kept)

  return async (organizationId) => {
    const now = new Date()
    const stand = await costStand(store, organizationId, {})
    const tag = tagOf(stand, now.toISOString().slice(0, 10))
    const { answer } = await answerOrPassing(
      answers(organizationId, tag, async () => {
        const { isWhole, ...cost } = await store.tenant(organizationId, async (tenant) =>
          costOfMonth(tenant, now),
        )
        const text = JSON.stringify({ ...cost, budgets: cost.budgets.map(presentBudget) })
        if (!isWhole) throw new PassingAnswer(text)
        return text
      }),
    )
    // Made above, of the fields of the schema.
    return JSON.parse(answer) as HomeCost
  }
}
