import { conflict } from '../../domain/errors.ts'
import { billingPlaces } from '../../store/clouds/billing-places.ts'
import type { CloudAccount } from '../../store/clouds/cloud-account-row.ts'
import type { Tenant } from '../../store/driver/tenant.ts'

/** 409 where another account of the organization has the bills of this place. The places must be held. */
export async function refuseSameExport(tenant: Tenant, account: CloudAccount): Promise<void> {
  const other = await billingPlaces(tenant).other(account)
  if (other)
    throw conflict(
      'export_in_use',
      `The account ${other.name} has these bills already. Their cost would count twice.`,
      other.id,
    )
}
