import { boundFindings } from '../policies/bound-findings.ts'
import { formatDecimal, parseDecimal } from './decimal.ts'
import type { PricedPlan, PricedResource } from './price-resources.ts'

/**
 * The cost gate. Compares the monthly cost after the plan with the limit. A resource that the plan
 * removes needs no price: it costs nothing afterwards.
 */
export function judgeCost({ priced, costLimitMonthly, unpriced }: CostQuestion): CostVerdict {
  const unknown = priced.resources.filter((resource) => resource.after === null)
  if (costLimitMonthly === null)
    return { result: 'pass', findings: unpricedFindings(unknown, { level: 'info', priced }) }

  const limit = readLimit(costLimitMonthly)
  if (limit === undefined)
    return {
      result: 'error',
      reason: 'cost_unknown',
      findings: [{ level: 'error', message: 'The cost limit of the workspace cannot be read.' }],
    }
  const exceeded = parseDecimal(priced.after) > limit
  const missing = unknown.length > 0 && unpriced === 'deny'
  const findings: CostFinding[] = []
  if (exceeded)
    findings.push({
      level: 'deny',
      message: `The planned cost of ${priced.after} ${priced.currency} a month is over the limit of ${formatDecimal(limit)} ${priced.currency}.`,
    })
  findings.push(...unpricedFindings(unknown, { level: missing ? 'deny' : 'warn', priced }))
  if (exceeded) return { result: 'fail', reason: 'cost_exceeded', findings }
  if (missing) return { result: 'fail', reason: 'cost_unknown', findings }
  return { result: findings.length > 0 ? 'warn' : 'pass', findings }
}

export type CostQuestion = {
  priced: PricedPlan
  /** Decimal text in the organization's currency; null is no limit. */
  costLimitMonthly: string | null
  /** What a resource without a price means where a limit is set. */
  unpriced: 'deny' | 'allow'
}

export type CostVerdict = {
  result: 'pass' | 'warn' | 'fail' | 'error'
  reason?: 'cost_exceeded' | 'cost_unknown'
  findings: CostFinding[]
}

export type CostFinding = {
  level: 'info' | 'warn' | 'deny' | 'error'
  message: string
  /** Address of the resource that it is about. */
  resource?: string
}

const maxFindings = 100

function readLimit(text: string): bigint | undefined {
  try {
    return parseDecimal(text)
  } catch {
    return undefined
  }
}

function unpricedFindings(
  unknown: readonly PricedResource[],
  { level, priced }: { level: CostFinding['level']; priced: PricedPlan },
): CostFinding[] {
  const findings = unknown.slice(0, maxFindings).map((resource) => ({
    level,
    message: whyUnpriced(resource, priced.currency),
    resource: resource.address,
  }))
  const more = unknown.length - findings.length
  const last = more > 0 ? [{ level, message: `${more} more resources have no price.` }] : []
  return boundFindings<CostFinding>([...findings, ...last], (message) => ({ level, message }))
}

function whyUnpriced(resource: PricedResource, currency: string): string {
  const { address, type, unpricedBecause, priceCurrency } = resource
  if (unpricedBecause === 'currency_mismatch')
    return `${address} has no price in ${currency}: the price that matches is in ${priceCurrency ?? 'another currency'}.`
  if (unpricedBecause === 'unknown_attributes')
    return `${address} has no certain price: an attribute or the region that prices of ${type} depend on is not known from the plan.`
  return `${address} has no price: no entry of the price book matches this ${type}.`
}
