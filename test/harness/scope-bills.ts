import { scoreAnomalies } from '../../app/finops/score-anomalies.ts'
import { scoreScopes } from '../../app/finops/score-scopes.ts'
import { dayAfter } from '../../domain/finops/anomalies/days.ts'
import type { Store } from '../../store/driver/connect.ts'
import { shownAnomalies, type ShownAnomaly } from '../../store/finops/shown-anomalies.ts'
import { changeSettings } from '../../store/organizations/settings.ts'
import { dailyBills } from './daily-bills.ts'

/** A day of months of history. */
export const scopeFirstDay = '2026-01-01'

export type SmallCosts = {
  from?: string
  /** Of all services together on days by index; each has as much of it as the others. */
  at?: Record<number, number>
  /** Of one service on days by index, in place of its part. */
  spikes?: Record<number, number>
  services?: number
  level?: number
  currency?: string
  /** The tags of each service on a day by index. */
  tags?: (service: number, index: number) => Record<string, string>
}

/** Level cost of many services, so small that a rise of all of them is under the floor of each. */
export const smallCosts = (count: number, options: SmallCosts = {}) => {
  const { services = 20, level = 10, at = {}, spikes = {}, currency = 'USD' } = options
  return Array.from({ length: services }, (_, service) =>
    Array.from({ length: count }, (__, index) => ({
      service: `Service ${service}`,
      day: dayAfter(options.from ?? scopeFirstDay, index),
      effective:
        (service === 0 ? spikes[index] : undefined) ?? (at[index] ?? level * services) / services,
      currency,
      tags: options.tags?.(service, index) ?? {},
    })),
  ).flat()
}

/** Bills of one organization that are scored as an ingest does: the services, then the whole cost and the tags. */
export function scopeBills(store: Store, organizationId: number) {
  const bills = dailyBills(store, organizationId)
  const tenant = <R>(work: Parameters<typeof store.tenant<R>>[1]) =>
    store.tenant(organizationId, work)

  const api = {
    bills,
    settings: async (settings: { tagKey?: string; anomalyMinimum?: number }): Promise<void> => {
      await tenant(async (of) => changeSettings(of, settings))
    },
    load: async (sourceId: number, lines: Parameters<typeof bills.load>[1]): Promise<number> => {
      const changed = await bills.load(sourceId, lines)
      const services = await scoreAnomalies(store, organizationId, changed)
      const from = changed.map(({ period }) => `${period}-01`).toSorted()[0] ?? scopeFirstDay
      const scopes = await scoreScopes(store, { organizationId, from: dayAfter(from, -7) })
      return services.anomalies + scopes.anomalies
    },
    shown: async (): Promise<ShownAnomaly[]> => {
      return tenant(async (of) => shownAnomalies(of).list({}, 500))
    },
    /** What is not of one service, as `All spend` and the day. */
    scopes: async (): Promise<Array<[value: string, day: string, impact: number]>> => {
      return (await api.shown()).flatMap(
        ({ scope, day, impact }): Array<[string, string, number]> =>
          scope ? [[scope.value, day, Math.round(Number(impact))]] : [],
      )
    },
    told: async (): Promise<Array<{ event: string; subjectLabel: string }>> => {
      return store
        .platform('notices')
        .where({ organizationId })
        .orderBy('id')
        .select('event', 'subjectLabel')
    },
  }
  return api
}
