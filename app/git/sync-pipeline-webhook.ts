import type { GitHost } from '../../gateways/git/git-host.ts'
import {
  registerWebhook,
  webhookUrl,
  type WebhookOutcome,
} from '../../gateways/git/register-webhook.ts'
import type { Keyring } from '../../gateways/keyring/keyring.ts'
import type { Store } from '../../store/driver/connect.ts'
import {
  gitConnections,
  placeOfWebhookSecret,
  type GitConnection,
} from '../../store/git/git-connections.ts'
import { setPipelineWebhook, type Pipeline } from '../../store/pipelines/pipelines.ts'
import { newWebhookSecret, syncWebhook } from './sync-webhook.ts'

/**
 * Registers the webhook of a pipeline's repository, under the address and secret of its connection, and
 * stores the outcome in the pipeline. Repeated, it replaces the webhook by a new one.
 */
export async function syncPipelineWebhook(
  deps: { store: Store; keyring: Keyring },
  organizationId: number,
  at: { host: GitHost; connection: GitConnection; pipeline: Pipeline; origin: string },
): Promise<WebhookOutcome | undefined> {
  const { connection, pipeline } = at
  if (pipeline.appRepo === null) return undefined
  const isOwn = pipeline.appRepo.toLowerCase() === connection.defaultRepo?.toLowerCase()
  const outcome = isOwn
    ? await syncWebhook(deps, organizationId, at)
    : await registerOther(deps, organizationId, { ...at, repo: pipeline.appRepo })
  if (outcome)
    await deps.store.tenant(organizationId, async (tenant) =>
      setPipelineWebhook(tenant, pipeline, outcome),
    )
  return outcome
}

async function registerOther(
  deps: { store: Store; keyring: Keyring },
  organizationId: number,
  at: { host: GitHost; connection: GitConnection; repo: string; origin: string },
): Promise<WebhookOutcome> {
  const { id, product } = at.connection
  const sealed = await deps.store.tenant(organizationId, async (tenant) =>
    gitConnections(tenant).webhookSecret(id, newWebhookSecret(deps, organizationId)),
  )
  const outcome = await registerWebhook(at.host, {
    product,
    repo: at.repo,
    url: webhookUrl(at.origin, id),
    secret: deps.keyring.open(placeOfWebhookSecret(organizationId), sealed),
  })
  if (outcome.signed)
    await deps.store.tenant(organizationId, async (tenant) => gitConnections(tenant).noteSigns(id))
  return outcome
}
