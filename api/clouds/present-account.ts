import type { CloudsConfig } from '../../config/clouds.ts'
import type { CloudAccount } from '../../store/clouds/cloud-account-row.ts'
import { cloudIdentity } from '../../store/clouds/cloud-identity.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import type { Deps } from '../deps.ts'
import type { CloudAccountBody } from './schemas.ts'

/** Accounts of one organization, as readers see them. */
export async function presentAccounts(
  tenant: Tenant,
  { config: { awsIdentity } }: Pick<Deps, 'config'>,
  accounts: readonly CloudAccount[],
): Promise<CloudAccountBody[]> {
  const { externalId } = await cloudIdentity(tenant)
  return accounts.map((account) => presentAccount(account, { externalId, awsIdentity }))
}

/** An account as readers see it: which kind of credentials it has, never the credentials. */
export function presentAccount(
  account: CloudAccount,
  { externalId, awsIdentity }: { externalId: string } & Pick<CloudsConfig, 'awsIdentity'>,
): CloudAccountBody {
  const { id, provider, accountId, name, regions, endpoint, endpoints, checks, status } = account
  // How a role is assumed is the operator's choice, which may change after the account was connected.
  const byRole =
    provider === 'aws' && account.credentialsKind === 'federation' && awsIdentity !== 'none'
  return {
    id,
    provider,
    accountId,
    name,
    externalId,
    credentialsSet: account.credentials !== null,
    credentialsKind: byRole ? 'role' : account.credentialsKind,
    billing: account.billingShown,
    regions,
    endpoint,
    endpoints,
    syncIntervalMinutes: account.syncIntervalMinutes,
    ingestIntervalHours: account.ingestIntervalHours,
    status,
    statusReason: account.statusReason,
    checks,
    validatedAt: account.validatedAt?.toISOString() ?? null,
    nextSyncAt: account.nextSyncAt.toISOString(),
    createdAt: account.createdAt.toISOString(),
    updatedAt: account.updatedAt.toISOString(),
  }
}
