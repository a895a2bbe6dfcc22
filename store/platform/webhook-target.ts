import type { GitProduct } from '../../domain/git/providers.ts'
import type { PlatformDb } from '../driver/connect.ts'

export type WebhookTarget = {
  organizationId: number
  product: GitProduct
  /** Sealed. */
  secret: Buffer
  signs: boolean
}

/** The connection of a webhook. Its sender has no session, so nothing else is known yet. */
export async function webhookTarget(
  db: PlatformDb,
  connectionId: number,
): Promise<WebhookTarget | undefined> {
  return db('git_connections')
    .where({ id: connectionId })
    .whereNotNull('webhookSecret')
    .first('organizationId', 'product', 'webhookSecret as secret', 'webhookSigned as signs')
}
