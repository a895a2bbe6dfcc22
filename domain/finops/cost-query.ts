import { invalid } from '../errors.ts'

/** FOCUS: EffectiveCost (amortised), BilledCost (as invoiced), ListCost (without discounts). */
export const costBases = ['effective', 'billed', 'list'] as const
export type CostBasis = (typeof costBases)[number]

/** FOCUS 1.2, ChargeCategory. */
export const chargeCategories = ['Usage', 'Purchase', 'Tax', 'Credit', 'Adjustment'] as const

/** Who holds what costs: a workspace, nobody, or nothing can be held (support, tax). */
export const costOwners = ['workspace', 'unmanaged', 'unattributed'] as const
export type CostOwner = (typeof costOwners)[number]

export const costGroups = [
  'provider',
  'service',
  'account',
  'subAccount',
  'region',
  'workspace',
  'tag',
  'chargeCategory',
] as const
export type CostGroup = (typeof costGroups)[number]

/** Days as YYYY-MM-DD in UTC, both included. */
export type CostWindow = { from: string; to: string }

/** Values of one filter mean `or`; an absent filter lets all through. */
export type CostFilters = {
  provider?: readonly string[] | undefined
  service?: readonly string[] | undefined
  accountId?: readonly number[] | undefined
  /** Names of uploads. */
  source?: readonly string[] | undefined
  subAccountId?: readonly string[] | undefined
  region?: readonly string[] | undefined
  workspaceId?: readonly number[] | undefined
  chargeCategory?: readonly string[] | undefined
  owner?: readonly CostOwner[] | undefined
  /** The key of `tagValue` and `untagged`, and of what is shown by tag. */
  tagKey?: string | undefined
  tagValue?: readonly string[] | undefined
  /** Only what has no tag of `tagKey`. */
  untagged?: boolean | undefined
}

export type CostQuery = CostWindow & CostFilters & { basis: CostBasis }

const maxDays = 1_100
const dayMs = 86_400_000

/** The window that is asked for: without one from the first of last month to today. */
export function costWindow(asked: Partial<CostWindow>, now: Date): CostWindow {
  const to = asked.to ?? now.toISOString().slice(0, 10)
  const from = asked.from ?? firstOfLastMonth(asked.to === undefined ? now : new Date(asked.to))
  assertOrder({ from, to })
  if (daysBetween(from, to) >= maxDays)
    throw refuse('from', `makes a window of more than ${maxDays.toLocaleString('en')} days`)
  return { from, to }
}

/** Refuses a window that ends before it begins: its empty answer would look like no cost. */
export function assertOrder({ from, to }: Partial<CostWindow>): void {
  if (from !== undefined && to !== undefined && from > to)
    throw refuse('from', `is after to (${to})`)
}

/** Refuses filters of a tag that do not say of which key. */
export function assertTagKey({ tagKey, tagValue, untagged }: CostFilters): void {
  if (tagKey !== undefined) return
  if (tagValue) throw refuse('tagValue', 'needs tagKey')
  if (untagged) throw refuse('untagged', 'needs tagKey')
}

/** Each day of a window. */
export function daysOf({ from, to }: CostWindow): string[] {
  const first = Date.parse(from)
  return Array.from({ length: daysBetween(from, to) + 1 }, (_, n) =>
    new Date(first + n * dayMs).toISOString().slice(0, 10),
  )
}

/** Each month of a window, as YYYY-MM. */
export const monthsOf = (window: CostWindow): string[] => [
  ...new Set(daysOf(window).map((day) => day.slice(0, 7))),
]

const daysBetween = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / dayMs

const firstOfLastMonth = (day: Date): string =>
  new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() - 1, 1)).toISOString().slice(0, 10)

const refuse = (path: string, message: string) =>
  invalid(`${path}: ${message}.`, [{ path, message }])
