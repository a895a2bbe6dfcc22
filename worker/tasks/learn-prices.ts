import type { Deps } from '../../activities/deps.ts'
import { learnPrices } from '../../app/finops/learn-prices.ts'
import { eachByItself } from '../../app/platform/each-by-itself.ts'
import { duePriceLearnings } from '../../store/platform/due-price-learnings.ts'
import type { RecurringTask } from '../run-tasks.ts'

const maxOrganizations = 20
const task = 'learn-prices'

/** Learns the prices of organizations whose bills changed. */
export const learnPricesTask = ({ store, log }: Pick<Deps, 'store' | 'log'>): RecurringTask => ({
  name: task,
  everyMs: 20_000,
  async run() {
    const due = await duePriceLearnings(store.platform, maxOrganizations)
    await eachByItself(due, {
      task,
      log,
      // A large organization is not to keep the others waiting.
      atOnce: 2,
      work: async ({ organizationId }) => learnPrices(store, organizationId),
    })
    return due.length === maxOrganizations ? 'more' : 'done'
  },
})
