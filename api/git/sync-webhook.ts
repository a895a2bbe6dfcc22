import { randomBytes } from 'node:crypto'
import type { GitHost } from '../../gateways/git/git-host.ts'
import { registerWebhook, webhookUrl } from '../../gateways/git/register-webhook.ts'
import {
  gitConnections,
  placeOfWebhookSecret,
  type GitConnection,
} from '../../store/git/git-connections.ts'
import type { Deps } from '../deps.ts'
import { publicOrigin } from '../http/public-origin.ts'

/** A new webhook secret, sealed for its row. */
export const newWebhookSecret = ({ keyring }: Pick<Deps, 'keyring'>, organizationId: number) =>
  keyring.seal(placeOfWebhookSecret(organizationId), randomBytes(32))

/** Registers the webhook of a connection's repository, and stores the outcome in the connection. */
export async function syncWebhook(
  deps: Deps,
  organizationId: number,
  { host, connection }: { host: GitHost; connection: GitConnection },
): Promise<void> {
  const { id, product, defaultRepo: repo } = connection
  if (!repo) return
  const sealed = await deps.store.tenant(organizationId, async (tenant) =>
    gitConnections(tenant).webhookSecret(id, newWebhookSecret(deps, organizationId)),
  )
  const outcome = await registerWebhook(host, {
    product,
    repo,
    url: urlOf(deps, id),
    secret: deps.keyring.open(placeOfWebhookSecret(organizationId), sealed),
  })
  await deps.store.tenant(organizationId, async (tenant) =>
    gitConnections(tenant).setWebhook(id, outcome),
  )
}

/** Whether a connection has no webhook, or one that points elsewhere. */
export const needsWebhook = (
  deps: Pick<Deps, 'config'>,
  { id, defaultRepo, webhookState, webhookUrl: registered }: GitConnection,
): boolean => defaultRepo !== null && (webhookState !== 'active' || registered !== urlOf(deps, id))

/** Removes the webhook from a repository. A failure does not affect the caller. */
export async function removeWebhook(
  deps: Pick<Deps, 'log'>,
  open: () => GitHost,
  { id, defaultRepo, webhookUrl: url }: GitConnection,
): Promise<void> {
  if (!defaultRepo || !url) return
  try {
    await open().removeWebhook(defaultRepo, url)
  } catch (error) {
    deps.log.warn({ err: error, connectionId: id }, 'a webhook was left behind')
  }
}

const urlOf = (deps: Pick<Deps, 'config'>, id: number) =>
  webhookUrl(publicOrigin({ server: { deps } }), id)
