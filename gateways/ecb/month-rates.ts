import { unavailable } from '../../domain/errors.ts'
import { firstReferenceDay, type ReferenceDay } from '../../domain/finops/reference-rates.ts'
import type { Outbound } from '../outbound/outbound.ts'

/** The European Central Bank's data portal (SDMX 2.1, dataflow EXR). */
const portal = 'https://data-api.ecb.europa.eu'
/** The longest that a month begins without a banking day is over Easter: four days, and a weekend before them. */
const lastDay = 10
/** Ten days of all currencies have less than 64 KiB. */
const maxBytes = 1_048_576

/**
 * The euro reference rates of the month's first banking day; undefined where there is none yet. `month`:
 * `YYYY-MM`. `origin` in place of the portal's own.
 */
export async function monthRates(
  outbound: Outbound,
  { month, now, origin = portal }: { month: string; now: Date; origin?: string },
): Promise<ReferenceDay | undefined> {
  const query = new URLSearchParams({
    startPeriod: `${month}-01`,
    endPeriod: `${month}-${lastDay}`,
    detail: 'dataonly',
    format: 'csvdata',
  })
  const { status, body } = await outbound.request(
    `${origin}/service/data/EXR/D..EUR.SP00.A?${query}`,
    {
      use: 'billing',
      headers: { accept: 'text/csv' },
      timeoutMs: 20_000,
      maxBytes,
      maxRedirects: 2,
    },
  )
  // The portal's answer where no observation matches.
  if (status === 404) return undefined
  if (status !== 200)
    throw unavailable('rates_unavailable', `The European Central Bank answered ${status}.`)
  const before = now.toISOString().slice(0, 10)
  const found = firstReferenceDay(body.toString(), { month, before })
  if (found === undefined)
    throw unavailable('rates_unreadable', "The European Central Bank's rates cannot be read.")
  return found === 'none' ? undefined : found
}
