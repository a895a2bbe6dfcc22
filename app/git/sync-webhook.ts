import { randomBytes } from 'node:crypto'
import type { GitHost } from '../../gateways/git/git-host.ts'
import {
  registerWebhook,
  webhookUrl,
  type WebhookOutcome,
} from '../../gateways/git/register-webhook.ts'
import type { Keyring } from '../../gateways/keyring/keyring.ts'
import {
  gitConnections,
  placeOfWebhookSecret,
  type GitConnection,
} from '../../store/git/git-connections.ts'
import type { Store } from '../../store/driver/connect.ts'

/** A new webhook secret, sealed for its row. */
export const newWebhookSecret = ({ keyring }: { keyring: Keyring }, organizationId: number) =>
  keyring.seal(placeOfWebhookSecret(organizationId), randomBytes(32))

/**
 * Registers the webhook of a connection's repository, and stores the outcome in the connection.
 * Repeated, it replaces the webhook by a new one. Undefined without a repository.
 */
export async function syncWebhook(
  deps: { store: Store; keyring: Keyring },
  organizationId: number,
  { host, connection, origin }: { host: GitHost; connection: GitConnection; origin: string },
): Promise<WebhookOutcome | undefined> {
  const { id, product, defaultRepo: repo } = connection
  if (!repo) return undefined
  const sealed = await deps.store.tenant(organizationId, async (tenant) =>
    gitConnections(tenant).webhookSecret(id, newWebhookSecret(deps, organizationId)),
  )
  const outcome = await registerWebhook(host, {
    product,
    repo,
    url: webhookUrl(origin, id),
    secret: deps.keyring.open(placeOfWebhookSecret(organizationId), sealed),
  })
  await deps.store.tenant(organizationId, async (tenant) =>
    gitConnections(tenant).setWebhook(id, outcome),
  )
  return outcome
}
