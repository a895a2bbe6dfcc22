import type { Deps } from '../../activities/deps.ts'
import { freezeRate } from '../../app/finops/freeze-rate.ts'
import { eachByItself } from '../../app/platform/each-by-itself.ts'
import { monthRates } from '../../gateways/ecb/month-rates.ts'
import {
  askAgainSoon,
  claimMonth,
  derivedRates,
  keepReferenceDay,
  unknownMonths,
} from '../../store/platform/reference-rates.ts'
import type { RecurringTask } from '../run-tasks.ts'

/** The limits of one run. */
const maxMonths = 12
const maxRates = 200
const task = 'fetch-rates'

type Needed = Pick<Deps, 'store' | 'outbound' | 'log'>
/** `origin` in place of the bank's own. */
type Source = { source: 'none' | 'ecb'; origin?: string }

/**
 * Sets the exchange rates that bills need and nobody has set, by the European Central Bank's reference rates
 * of the month's first banking day. All workers together ask for a month once a day until it has rates, and
 * never again: what a bill cost does not change later.
 */
export const fetchRatesTask = (deps: Needed, of: Source): RecurringTask => ({
  name: task,
  everyMs: 5 * 60_000,
  async run() {
    if (of.source === 'none') return 'done'
    const { store, log } = deps
    const months = await unknownMonths(store.platform, maxMonths)
    for (const month of months) if (!(await fetchMonth(deps, of, month))) break
    // Rates that are known are set also where the bank does not answer.
    const derived = await derivedRates(store.platform, maxRates)
    await eachByItself(derived, {
      task,
      log,
      work: async ({ organizationId, rate, day }) =>
        store.tenant(organizationId, async (tenant) => freezeRate(tenant, rate, day)),
    })
    return derived.length === maxRates || months.length === maxMonths ? 'more' : 'done'
  },
})

/** False where the bank did not answer: other months would wait for it in vain, too. */
async function fetchMonth(
  { store, outbound, log }: Needed,
  { origin }: Source,
  month: string,
): Promise<boolean> {
  if (!(await claimMonth(store.platform, month))) return true
  try {
    const at = { month, now: new Date(), ...(origin !== undefined && { origin }) }
    const found = await monthRates(outbound, at)
    if (found) await keepReferenceDay(store.platform, month, found)
    return true
  } catch (error) {
    await askAgainSoon(store.platform, month)
    // A server without the Internet stays without rates: a warning an hour, and no failed task.
    log.warn({ task, month, err: error }, 'the reference rates of a month could not be fetched')
    return false
  }
}
