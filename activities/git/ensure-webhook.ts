import { unavailable } from '../../domain/errors.ts'
import { connectGitHost } from '../../gateways/git/connect-git-host.ts'
import { registerWebhook, webhookUrl } from '../../gateways/git/register-webhook.ts'
import {
  gitConnections,
  placeOfToken,
  placeOfWebhookSecret,
} from '../../store/git/git-connections.ts'
import type { RegisterWebhookInput } from '../../workflows/git/contract.ts'
import type { Deps } from '../deps.ts'
import { gitActivity } from './git-activity.ts'

/** Registers a webhook that is still pending. Repeated, it replaces the webhook by a new one. */
export const ensureWebhook =
  ({ store, keyring, outbound, publicOrigin }: Deps) =>
  async ({ organizationId, connectionId }: RegisterWebhookInput): Promise<void> =>
    gitActivity(async () => {
      const connection = await store.tenant(organizationId, async (tenant) =>
        gitConnections(tenant).find(connectionId),
      )
      if (connection?.webhookState !== 'pending') return
      const { defaultRepo: repo, webhookSecret, product, origin } = connection
      if (!repo || !webhookSecret) return
      const token = keyring.open(placeOfToken(organizationId), connection.token).toString()
      const outcome = await registerWebhook(connectGitHost(outbound, { product, origin, token }), {
        product,
        repo,
        url: webhookUrl(publicOrigin, connectionId),
        secret: keyring.open(placeOfWebhookSecret(organizationId), webhookSecret),
      })
      await store.tenant(organizationId, async (tenant) =>
        gitConnections(tenant).setWebhook(connectionId, outcome),
      )
      if (outcome.state === 'pending') throw unavailable('git_webhook_pending', outcome.reason)
    })
