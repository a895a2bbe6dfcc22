import type { Tenant } from '../../store/driver/tenant.ts'
import { registerWebhookId, registerWebhookType } from '../../workflows/git/contract.ts'
import { controlQueue } from '../../workflows/platform/contract.ts'
import { transactionId } from '../../store/driver/transaction-id.ts'
import { outbox } from '../../store/outbox/outbox.ts'
import { nameOfRepository } from '../../store/git/name-of-repository.ts'

/** The request registers the webhook at once. This much later the workflow checks whether it did. */
const afterSeconds = 120

/** Of two starts with the same place the second does nothing. */
type Start = { afterSeconds?: number; place?: string }

/** Starts the registration of a webhook, so that it happens even if this process dies first. */
export async function startWebhook(
  tenant: Tenant,
  connectionId: number,
  start: Start = {},
): Promise<void> {
  const { organizationId } = tenant

  const input = { organizationId, connectionId }
  const place = start.place ?? (await transactionId(tenant))
  await outbox(tenant).start({
    workflowType: registerWebhookType,
    workflowId: registerWebhookId({ ...input, place }),
    taskQueue: controlQueue,
    input,
    summary: `${await nameOfRepository(tenant, connectionId)}, webhook`,
    searchAttributes: { OrgId: `org-${organizationId}` },
    dedupeKey: `git-webhook/${connectionId}/${place}`,
    afterSeconds: start.afterSeconds ?? afterSeconds,
  })
}

/**
 * Starts the registration of a webhook for the repository of a pipeline, which its connection need not
 * name. At once: no request does it.
 */
export async function startPipelineWebhook(
  tenant: Tenant,
  pipeline: { id: number; name: string; appGitConnectionId: number | null },
  { place: given, ...after }: Start = {},
): Promise<void> {
  const { organizationId } = tenant
  const { id: pipelineId, appGitConnectionId: connectionId } = pipeline
  if (connectionId === null) return
  const input = { organizationId, connectionId, pipelineId }
  const place = `pipeline-${pipelineId}-${given ?? (await transactionId(tenant))}`
  await outbox(tenant).start({
    workflowType: registerWebhookType,
    workflowId: registerWebhookId({ ...input, place }),
    taskQueue: controlQueue,
    input,
    summary: `${pipeline.name}, webhook`,
    searchAttributes: { OrgId: `org-${organizationId}` },
    dedupeKey: `git-webhook/${connectionId}/${place}`,
    ...after,
  })
}
