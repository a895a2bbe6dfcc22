import { initializeRepositoryId, initializeRepositoryType } from '../../workflows/git/contract.ts'
import { controlQueue } from '../../workflows/platform/contract.ts'
import type { Db } from '../connect.ts'
import { outbox } from '../outbox/outbox.ts'
import { nameOfRepository } from './name-of-repository.ts'
import type { GitClaim } from './git-connections.ts'

/** Starts the preparation of a branch in the transaction that claims it, so that no claim stays half made. */
export async function startInitialization(
  db: Db,
  organizationId: number,
  { connectionId, claim }: { connectionId: number; claim: GitClaim },
): Promise<void> {
  const input = { organizationId, connectionId }
  const { rows } = await db.raw(`select txid_current() as id`)
  const place = `${rows[0].id}`
  await outbox(db, organizationId).start({
    workflowType: initializeRepositoryType,
    workflowId: initializeRepositoryId({ ...input, claim: place }),
    taskQueue: controlQueue,
    input,
    summary: `${await nameOfRepository(db, organizationId, connectionId)}, prepare ${claim.branch}`,
    searchAttributes: { OrgId: `org-${organizationId}` },
    dedupeKey: `git-init/${connectionId}/${place}`,
  })
}
