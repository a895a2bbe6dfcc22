import type { Deps } from '../../activities/deps.ts'
import { budgetStates } from '../../app/finops/budget-states.ts'
import { eachByItself } from '../../app/platform/each-by-itself.ts'
import { claimWantedFigures } from '../../store/platform/wanted-figures.ts'
import type { RecurringTask } from '../run-tasks.ts'

const maxOrganizations = 20
const task = 'compute-budgets'

/** Computes the figures of budgets that requests left, since an organization may have hundreds of forecasts. */
export const computeBudgetsTask = ({ store, log }: Pick<Deps, 'store' | 'log'>): RecurringTask => ({
  name: task,
  everyMs: 2_000,
  async run() {
    const claimed = await claimWantedFigures(store.platform, maxOrganizations)
    await eachByItself(claimed, {
      task,
      log,
      work: async ({ organizationId }) => store.tenant(organizationId, budgetStates),
    })
    return claimed.length === maxOrganizations ? 'more' : 'done'
  },
})
