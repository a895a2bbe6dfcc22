import { registerWebhookId, registerWebhookType } from '../../workflows/git/contract.ts'
import { controlQueue } from '../../workflows/platform/contract.ts'
import type { Db } from '../connect.ts'
import { outbox } from '../outbox/outbox.ts'
import { nameOfRepository } from './name-of-repository.ts'

/** The request registers the webhook at once. This much later the workflow checks whether it did. */
const afterSeconds = 120

/** Starts the registration of a webhook, so that it happens even if this process dies first. */
export async function startWebhook(
  db: Db,
  organizationId: number,
  connectionId: number,
): Promise<void> {
  const input = { organizationId, connectionId }
  const { rows } = await db.raw(`select txid_current() as id`)
  const place = `${rows[0].id}`
  await outbox(db, organizationId).start({
    workflowType: registerWebhookType,
    workflowId: registerWebhookId({ ...input, place }),
    taskQueue: controlQueue,
    input,
    summary: `${await nameOfRepository(db, organizationId, connectionId)}, webhook`,
    searchAttributes: { OrgId: `org-${organizationId}` },
    dedupeKey: `git-webhook/${connectionId}/${place}`,
    afterSeconds,
  })
}
