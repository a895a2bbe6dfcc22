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
import type { Tenant } from '../../store/driver/tenant.ts'
import { inWebhookTurn } from './webhook-turn.ts'

/** A new webhook secret, sealed for its row. */
export const newWebhookSecret = ({ keyring }: { keyring: Keyring }, organizationId: number) =>
  keyring.seal(placeOfWebhookSecret(organizationId), randomBytes(32))

type Needed = { store: Store; keyring: Keyring }
type Place = { host: GitHost; connection: GitConnection; origin: string }

/**
 * Registers the webhook of a connection's repository, and stores the outcome in the connection.
 * Repeated, it replaces the webhook by a new one. Undefined without a repository.
 */
export async function syncWebhook(
  deps: Needed,
  organizationId: number,
  at: Place,
): Promise<WebhookOutcome | undefined> {
  const { id, defaultRepo: repo } = at.connection
  if (!repo) return undefined
  return syncInTurn(deps, organizationId, {
    ...at,
    repo,
    note: async (tenant, outcome) => gitConnections(tenant).setWebhook(id, outcome),
  })
}

/** Registers the webhook of one repository, and stores the outcome by `note`, before the next one has its turn. */
export async function syncInTurn(
  deps: Needed,
  organizationId: number,
  at: Place & {
    repo: string
    note: (tenant: Tenant, outcome: WebhookOutcome) => Promise<void>
  },
): Promise<WebhookOutcome> {
  const { host, connection, repo } = at
  const { id: connectionId, product } = connection
  const url = webhookUrl(at.origin, connectionId)
  return inWebhookTurn(deps, organizationId, {
    connectionId,
    repo,
    url,
    note: at.note,
    register: async () => {
      const sealed = await deps.store.tenant(organizationId, async (tenant) =>
        gitConnections(tenant).webhookSecret(connectionId, newWebhookSecret(deps, organizationId)),
      )
      const secret = deps.keyring.open(placeOfWebhookSecret(organizationId), sealed)
      return registerWebhook(host, { product, repo, url, secret })
    },
  })
}
