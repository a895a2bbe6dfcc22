import type { Caller } from '../../domain/access/caller.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { accountConnections } from '../../store/clouds/account-connections.ts'
import type { CloudAccount, NewCloudAccount } from '../../store/clouds/cloud-account-row.ts'
import type { Tenant } from '../../store/driver/tenant.ts'

/**
 * Connects an account. 409 `account_already_connected` with its id. The caller begins its first sync once it has
 * connected all: `startSync` takes a lock of the organization, and who holds that may not wait for an account.
 */
export async function addAccount(
  tenant: Tenant,
  caller: Caller,
  { memberOf, ...account }: Omit<NewCloudAccount, 'createdBy'> & { memberOf?: number },
): Promise<CloudAccount> {
  const added = await accountConnections(tenant).connect({ ...account, createdBy: caller.userId })
  await auditLog(tenant, actorOf(caller)).record('cloud.account_connected', {
    target: { kind: 'cloud_account', id: added.id, label: added.name },
    detail: { ...detailOf(added), ...(memberOf !== undefined && { memberOf }) },
  })
  return added
}

/** Where its tokens go is part of it; secrets are not. */
function detailOf({ provider, accountId, credentialsKind, ...account }: CloudAccount) {
  const { endpoint, endpoints, billingShown, regions, runs } = account
  const set = { endpoint, billing: billingShown, regions, runs }
  return {
    provider,
    accountId,
    credentialsKind,
    ...Object.fromEntries(Object.entries(set).filter(([, value]) => value !== null)),
    ...(Object.keys(endpoints).length > 0 && { endpoints }),
  }
}
