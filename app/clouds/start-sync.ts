import { nextSync } from '../../domain/clouds/next-sync.ts'
import type { SyncTrigger } from '../../domain/clouds/sync-state.ts'
import { cloudAccounts } from '../../store/clouds/cloud-accounts.ts'
import { cloudSyncs, type CloudSync } from '../../store/clouds/cloud-syncs.ts'
import { syncPlans } from '../../store/clouds/sync-plans.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { outbox } from '../../store/outbox/outbox.ts'
import { syncAccountId, syncAccountType } from '../../workflows/clouds/contract.ts'
import { controlQueue } from '../../workflows/platform/contract.ts'

/**
 * Starts a sync of the account, or joins the one that runs. The next one by schedule comes after it.
 * Undefined if it is started later: by the task `cloud-sweep` where the organization has as many as it
 * may, by `forget-accounts` where the account was disconnected and its resources are not all deleted.
 */
export async function startSync(
  tenant: Tenant,
  { cloudAccountId, trigger }: { cloudAccountId: number; trigger: SyncTrigger },
): Promise<CloudSync | undefined> {
  const { organizationId } = tenant
  const account = await cloudAccounts(tenant).getForUpdate(cloudAccountId)
  if (account.forgetting) return undefined
  const begun = await cloudSyncs(tenant).begin(cloudAccountId, trigger)
  if (!begun) {
    await syncPlans(tenant).plan(cloudAccountId, new Date())
    return undefined
  }
  const { sync, isNew } = begun
  if (!isNew) return sync
  await syncPlans(tenant).plan(cloudAccountId, nextSync(new Date(), account))
  const input = { organizationId, syncId: sync.id }
  await outbox(tenant).start({
    workflowType: syncAccountType,
    workflowId: syncAccountId(input),
    taskQueue: controlQueue,
    input,
    // Nothing of the account: a project's id can be a person's name.
    summary: `cloud account ${cloudAccountId}, sync ${sync.id}`,
    searchAttributes: { OrgId: `org-${organizationId}`, RunKind: 'sync' },
    dedupeKey: `cloud-sync/${sync.id}`,
  })
  return sync
}
