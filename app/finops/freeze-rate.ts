import { auditLog, systemActor } from '../../store/audit/audit-log.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { addReferenceRate, type NewRate } from '../../store/finops/exchange-rates.ts'
import { raiseCostVersion } from '../../store/finops/raise-cost-version.ts'
import { sliceDecisions } from '../../store/finops/slice-decisions.ts'

/**
 * Sets the rate of a month by the European Central Bank's reference rates of `day`, unless there is one: a
 * person's stays, and so does one that was set before.
 */
export async function freezeRate(tenant: Tenant, rate: NewRate, day: string): Promise<void> {
  const id = await addReferenceRate(tenant, rate)
  if (id === undefined) return
  const { month, base, quote } = rate
  await auditLog(tenant, systemActor).record('finops.rate_set', {
    target: { kind: 'exchange_rate', id, label: `${base}/${quote} ${month}` },
    detail: { from: null, to: Number(rate.rate), kind: 'ecb', day },
  })
  await raiseCostVersion(tenant)
  await sliceDecisions(tenant).planEvaluation(month)
}
