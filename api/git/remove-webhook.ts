import type { GitHost } from '../../gateways/git/git-host.ts'
import type { GitConnection } from '../../store/git/git-connections.ts'
import type { Deps } from '../deps.ts'

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
