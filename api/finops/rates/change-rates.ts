import type { Caller } from '../../../domain/access/caller.ts'
import { invalid, type ErrorDetail } from '../../../domain/errors.ts'
import { currencies } from '../../../domain/organizations/currencies.ts'
import { actorOf, auditLog } from '../../../store/audit/audit-log.ts'
import { exchangeRates, type ExchangeRate } from '../../../store/finops/exchange-rates.ts'
import { raiseCostVersion } from '../../../store/finops/raise-cost-version.ts'
import { guardedByBudgets } from '../../../app/finops/guarded-by-prices.ts'
import { noteGuardChange } from '../../../app/policies/note-guard-change.ts'
import { sliceDecisions } from '../../../store/finops/slice-decisions.ts'
import type { Deps } from '../../deps.ts'
import { decimalText } from '../decimal-text.ts'
import type { NewRateBody } from './schemas.ts'

/** Sets the rate of a month and pair, a past month's too. It changes what every read of cost answers. */
export async function putRate(
  { store }: Deps,
  caller: Caller,
  body: NewRateBody,
): Promise<ExchangeRate> {
  const rate = checked(body)
  return store.tenant(caller.organizationId, async (tenant) => {
    const rates = exchangeRates(tenant)
    const before = await rates.find({ ...body, rate })
    const id = await rates.put({ ...body, rate }, caller.userId)
    const stored = await rates.get(id)
    await auditLog(tenant, actorOf(caller)).record('finops.rate_set', {
      target: { kind: 'exchange_rate', id, label: labelOf(stored) },
      detail: { from: before ? Number(before.rate) : null, to: body.rate },
    })
    await noteGuardChange(tenant, caller, {
      what: 'rate',
      guarded: await guardedByBudgets(tenant),
    })
    await raiseCostVersion(tenant)
    await sliceDecisions(tenant).planEvaluation(stored.month)
    return stored
  })
}

/** Deletes a rate: money of that currency and month is then in no total. */
export async function deleteRate({ store }: Deps, caller: Caller, id: number): Promise<void> {
  await store.tenant(caller.organizationId, async (tenant) => {
    const before = await exchangeRates(tenant).delete(id)
    await auditLog(tenant, actorOf(caller)).record('finops.rate_deleted', {
      target: { kind: 'exchange_rate', id, label: labelOf(before) },
      detail: { from: Number(before.rate) },
    })
    await noteGuardChange(tenant, caller, {
      what: 'rate',
      guarded: await guardedByBudgets(tenant),
    })
    await raiseCostVersion(tenant)
    await sliceDecisions(tenant).planEvaluation(before.month)
  })
}

const labelOf = ({ month, base, quote }: ExchangeRate) => `${base}/${quote} ${month}`

/** The exact text of the rate. Refuses what the schema cannot express. */
function checked({ base, quote, rate }: NewRateBody): string {
  const details: ErrorDetail[] = []
  if (!currencies.has(base))
    details.push({ path: 'base', message: 'is not a currency of ISO 4217' })
  if (!currencies.has(quote))
    details.push({ path: 'quote', message: 'is not a currency of ISO 4217' })
  if (base === quote) details.push({ path: 'quote', message: 'is the same as base' })
  const text = decimalText(rate)
  if (text === undefined) details.push({ path: 'rate', message: 'is at least 0.000000000001' })
  const [first] = details
  if (first || text === undefined) throw invalid(`${first?.path}: ${first?.message}.`, details)
  return text
}
