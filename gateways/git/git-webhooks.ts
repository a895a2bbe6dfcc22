import type { WebhookKeys } from '../../domain/git/webhook-secret.ts'
import { isStatus } from './git-refusal.ts'

export type WebhookSpec = { url: string; keys: WebhookKeys }

/** The webhook of a repository, known again by its address. */
export interface GitWebhooks {
  /** Made anew, so that it has this very secret. `signs`: what comes without a signature is not from there. */
  registerWebhook(name: string, spec: WebhookSpec): Promise<{ signs: boolean }>
  /** Every one that leads to this address. */
  removeWebhook(name: string, url: string): Promise<void>
}

/** A repository has a handful; one that fills these pages has hundreds. */
export const maxWebhookPages = 5

/** One that somebody else has deleted since it was listed is gone, as it should be. */
export async function deleteWebhook(work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!isStatus(error, 404)) throw error
  }
}
