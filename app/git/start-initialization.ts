import type { Tenant } from '../../store/driver/tenant.ts'
import { initializeRepositoryId, initializeRepositoryType } from '../../workflows/git/contract.ts'
import { controlQueue } from '../../workflows/platform/contract.ts'
import { transactionId } from '../../store/driver/transaction-id.ts'
import { outbox } from '../../store/outbox/outbox.ts'
import { nameOfRepository } from '../../store/git/name-of-repository.ts'
import type { GitClaim } from '../../store/git/git-connections.ts'

/** Starts the preparation of a branch in the transaction that claims it, so that no claim stays half made. */
export async function startInitialization(
  tenant: Tenant,
  { connectionId, claim }: { connectionId: number; claim: GitClaim },
): Promise<void> {
  const { organizationId } = tenant

  const input = { organizationId, connectionId }
  const place = await transactionId(tenant)
  await outbox(tenant).start({
    workflowType: initializeRepositoryType,
    workflowId: initializeRepositoryId({ ...input, claim: place }),
    taskQueue: controlQueue,
    input,
    summary: `${await nameOfRepository(tenant, connectionId)}, prepare ${claim.branch}`,
    searchAttributes: { OrgId: `org-${organizationId}` },
    dedupeKey: `git-init/${connectionId}/${place}`,
  })
}
