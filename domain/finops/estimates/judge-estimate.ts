import type { EstimatedResource, PlanEstimate } from './plan-estimate.ts'

/** After so many days an estimate is held against the bill. */
export type CheckDays = 7 | 30

/** What the bill has of one resource around an apply. Amounts are null where it has nothing. */
export type BilledChange = {
  address: string
  before: number | null
  /** Whole days of the window in which it was there. */
  beforeDays: number
  after: number | null
  afterDays: number
}

export type CheckedResource = {
  address: string
  predicted: number
  /** Null where the bill does not say. */
  billed: number | null
}

export type EstimateCheck = {
  /** Of the resources with a billed amount. */
  predicted: number
  billed: number
  /** The share of all changed resources that these are, 0 to 1. */
  coverage: number
  resources: CheckedResource[]
}

/** Fewer days are no month. */
const minDays = 3
const daysOfMonth = 365 / 12

/** The predicted change of the monthly cost beside what the bill says of the same resources. */
export function judgeEstimate(
  { resources, others }: PlanEstimate,
  billed: readonly BilledChange[],
): EstimateCheck {
  const byAddress = new Map(billed.map((one) => [one.address, one]))
  const checked = resources.map((resource): CheckedResource => {
    const { address, delta } = resource
    const change = billedDelta(resource, byAddress.get(address))
    return { address, predicted: Number(delta), billed: change === null ? null : rounded(change) }
  })
  const known = checked.filter(({ billed: amount }) => amount !== null)
  const all = resources.length + others
  return {
    predicted: rounded(known.reduce((sum, one) => sum + one.predicted, 0)),
    billed: rounded(known.reduce((sum, one) => sum + (one.billed ?? 0), 0)),
    coverage: all === 0 ? 1 : Math.floor((known.length / all) * 10_000) / 10_000,
    resources: checked,
  }
}

function billedDelta({ side }: EstimatedResource, found: BilledChange | undefined): number | null {
  if (!found) return null
  const before = monthly(found.before, found.beforeDays)
  const after = monthly(found.after, found.afterDays)
  if (side === 'created') return after
  if (side === 'deleted') return before === null ? null : -before
  return before === null || after === null ? null : after - before
}

const monthly = (amount: number | null, days: number): number | null =>
  amount === null || days < minDays ? null : (amount / days) * daysOfMonth

const rounded = (amount: number): number => Math.round(amount * 1e6) / 1e6

/** What of the prediction the bill has; null where nothing was predicted. */
export const ratioOf = ({ predicted, billed }: Pick<EstimateCheck, 'predicted' | 'billed'>) =>
  predicted === 0 ? null : Math.round((billed / predicted) * 10_000) / 10_000

const maxMiss = 0.2
/** Below this the bill says too little of a plan. */
const minCoverage = 0.5

/** Whether the estimate misses the bill by 20 % or more. */
export function isOff(check: Pick<EstimateCheck, 'predicted' | 'billed' | 'coverage'>): boolean {
  const { predicted, billed, coverage } = check
  return (
    coverage >= minCoverage &&
    predicted !== 0 &&
    Math.abs(billed - predicted) >= maxMiss * Math.abs(predicted)
  )
}
