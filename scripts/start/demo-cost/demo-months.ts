import { dayAfter } from '../../../domain/finops/anomalies/days.ts'
import { chargesOfDay } from './charges-of-day.ts'
import { asDraft, asFinal, chargeForFees } from './charges-of-month.ts'
import type { DemoCharge } from './demo-charge.ts'
import type { DemoCloud } from './demo-resource.ts'

/** The days of the demo: `anchor` is the one on which it was first filled in. */
export type DemoTime = { anchor: string; today: string }

const monthsBefore = 12

/** The months (`YYYY-MM`) that have charges: the anchor's, the twelve before it, and those since. */
export function demoMonths({ anchor, today }: DemoTime): string[] {
  const months: string[] = []
  const end = today.slice(0, 7)
  for (let month = monthBefore(anchor, monthsBefore); month <= end; month = monthBefore(month, -1))
    months.push(month)
  return months
}

/** The month that AWS restates. */
export const restatedMonth = (anchor: string): string => monthBefore(anchor, 1)

/** The last day with charges of a month: usage ends yesterday, while the fees of the first are booked that day. */
export function lastDayOf(month: string, today: string): string {
  const end = dayAfter(`${monthBefore(month, -1)}-01`, -1)
  const yesterday = dayAfter(today, -1)
  const first = `${month}-01`
  return end <= yesterday ? end : yesterday >= first ? yesterday : first
}

type Asked = DemoTime & { cloud: DemoCloud; month: string; isDraft?: boolean }

/** The charges of a month of a cloud; of the one that is restated the final ones, or its draft. */
export function chargesOfMonth({ cloud, month, anchor, today, isDraft = false }: Asked) {
  const charges: DemoCharge[] = []
  const last = lastDayOf(month, today)
  for (let day = `${month}-01`; day <= last; day = dayAfter(day, 1))
    charges.push(
      ...(day < today ? chargesOfDay({ cloud, day, anchor }) : chargeForFees({ cloud, day })),
    )
  if (cloud !== 'aws' || month !== restatedMonth(anchor)) return charges
  return isDraft ? asDraft(charges) : asFinal(month, charges)
}

function monthBefore(month: string, count: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number)
  return new Date(Date.UTC(year, number - 1 - count, 1)).toISOString().slice(0, 7)
}
