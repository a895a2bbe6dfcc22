import { dayAfter, dayNumber } from '../../../domain/finops/anomalies/days.ts'
import type { AnomalyPlace } from '../../../store/finops/shown-anomalies.ts'

/** Above each id. A day of 2200 times this is below 2^53. */
const idsPerDay = 2 ** 31

/**
 * The place of an anomaly in the list as a number, the day first and then the id: an anomaly that is taken back between
 * two pages still leaves its place.
 */
export const anomalyCursor = ({ firstDay, id }: AnomalyPlace): string =>
  String(dayNumber(firstDay) * idsPerDay + id)

/** A cursor that no list returned leads to an empty page at worst. */
export function placeOfCursor(cursor: string): AnomalyPlace {
  const place = Number(cursor)
  return { firstDay: dayAfter('1970-01-01', Math.floor(place / idsPerDay)), id: place % idsPerDay }
}
