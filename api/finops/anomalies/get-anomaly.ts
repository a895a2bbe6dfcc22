import type { Static } from 'typebox'
import { dayAfter } from '../../../domain/finops/anomalies/days.ts'
import { anomalyDays } from '../../../store/finops/anomaly-days.ts'
import { shownAnomalies } from '../../../store/finops/shown-anomalies.ts'
import type { Deps } from '../../deps.ts'
import { presentAnomaly } from './present-anomaly.ts'
import type { AnomalyDetailBody } from './schemas.ts'

const daysBefore = 30
const daysAfter = 7

/** An anomaly with its days and some around them, as they were scored; what services explain is expected. */
export async function getAnomaly(
  { store }: Pick<Deps, 'store'>,
  organizationId: number,
  id: number,
): Promise<Static<typeof AnomalyDetailBody>> {
  return store.tenant(organizationId, async (tenant) => {
    const anomaly = await shownAnomalies(tenant).get(id)
    const { seriesId, firstDay, lastDay } = anomaly
    const [from, through] = [dayAfter(firstDay, -daysBefore), dayAfter(lastDay, daysAfter)]
    const days = await anomalyDays(tenant).between(seriesId, from, through)
    const shown = days.map(({ day, actual, expected, low, high, explained }) => ({
      day,
      actual: Number(actual),
      expected: expected + explained,
      low: low + explained,
      high: high + explained,
    }))
    return { ...presentAnomaly(anomaly), days: shown }
  })
}
