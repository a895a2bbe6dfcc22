import { cloudAccounts } from '../../store/clouds/cloud-accounts.ts'
import type { Tenant } from '../../store/driver/tenant.ts'

export const accountTarget = async (tenant: Tenant, { id = 0 }: Record<string, number>) =>
  cloudAccounts(tenant).get(id)

/** A missing capability is audited under this name on all routes of accounts and resources. */
export const manageAccounts = {
  access: 'manage_cloud_accounts',
  denialEvent: 'cloud.rbac_denied',
} as const
