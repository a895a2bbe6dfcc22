import { unavailable } from '../../domain/errors.ts'
import { openHost } from '../../app/git/open-host.ts'
import { syncWebhook } from '../../app/git/sync-webhook.ts'
import { gitConnections } from '../../store/git/git-connections.ts'
import type { RegisterWebhookInput } from '../../workflows/git/contract.ts'
import type { Deps } from '../deps.ts'
import { gitActivity } from './git-activity.ts'

/** Registers a webhook that is still pending. Repeated, it replaces the webhook by a new one. */
export const ensureWebhook =
  (deps: Deps) =>
  async ({ organizationId, connectionId }: RegisterWebhookInput): Promise<void> =>
    gitActivity(async () => {
      const connection = await deps.store.tenant(organizationId, async (tenant) =>
        gitConnections(tenant).find(connectionId),
      )
      if (connection?.webhookState !== 'pending' || !connection.webhookSecret) return
      const host = openHost(deps, organizationId, connection)
      const origin = deps.publicOrigin
      const outcome = await syncWebhook(deps, organizationId, { host, connection, origin })
      if (outcome?.state === 'pending') throw unavailable('git_webhook_pending', outcome.reason)
    })
