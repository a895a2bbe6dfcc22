import type { Caller } from '../../domain/access/caller.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { prices } from '../../store/finops/prices.ts'
import { guardedByPrices } from '../../app/finops/guarded-by-prices.ts'
import { noteGuardChange } from '../../app/policies/note-guard-change.ts'
import type { Deps } from '../deps.ts'

/** Deletes an entry of the price book. */
export async function deletePrice(deps: Deps, caller: Caller, id: number): Promise<void> {
  const { organizationId } = caller
  await deps.store.tenant(organizationId, async (tenant) => {
    const price = await prices(tenant).getForUpdate(id)
    await prices(tenant).delete(id)
    await noteGuardChange(tenant, caller, {
      what: 'price',
      guarded: await guardedByPrices(tenant),
    })
    const { provider, match, monthlyPrice, currency, validFrom } = price
    await auditLog(tenant, actorOf(caller)).record('finops.price_deleted', {
      target: { kind: 'price', id, label: price.resourceType },
      detail: { provider, match, monthlyPrice: Number(monthlyPrice), currency, validFrom },
    })
  })
}
