import { AppError } from '../../domain/errors.ts'
import { providerNames, type GitProduct } from '../../domain/git/providers.ts'
import { webhookKeys } from '../../domain/git/webhook-secret.ts'
import type { GitHost } from './git-host.ts'
import { GitRefusal, isStatus, refusalOf } from './git-refusal.ts'

export type WebhookOutcome =
  | { state: 'active'; url: string; signed: boolean; reason: null }
  /** `pending`: the host cannot be asked now, and is asked again. */
  | { state: 'unavailable' | 'pending'; url: null; signed: false; reason: string }

/** The permissions that webhooks need in addition, by the provider's own names. */
const rights: Record<GitProduct, string> = {
  github: 'Webhooks: write, or the scope admin:repo_hook',
  gitlab: 'the role Maintainer in the project',
  'bitbucket-cloud': 'the scope webhook, and administration of the repository',
  'bitbucket-data-center': 'REPO_ADMIN',
}

/** Where a connection's host tells of pushes. */
export const webhookUrl = (origin: string, connectionId: number) =>
  `${origin}/api/git/webhooks/${connectionId}`

/**
 * Registers a connection's webhook. Without the permission, or with an address that its host cannot reach,
 * the connection works too, except that pushes are not noticed; the result says why.
 */
export async function registerWebhook(
  host: GitHost,
  at: { product: GitProduct; repo: string; url: string; secret: Buffer },
): Promise<WebhookOutcome> {
  try {
    const keys = webhookKeys(at.secret)
    const { signs } = await host.registerWebhook(at.repo, { url: at.url, keys })
    return { state: 'active', url: at.url, signed: signs, reason: null }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const state = isPassing(error) ? 'pending' : 'unavailable'
    return { state, url: null, signed: false, reason: reasonOf(at.product, error) }
  }
}

const isPassing = (error: AppError): boolean =>
  error.fault === 'unavailable' &&
  (refusalOf(error)?.code === 'git_rate_limited' || !isStatus(error, 401, 403, 404))

function reasonOf(product: GitProduct, error: AppError): string {
  const refusal = refusalOf(error)
  if (refusal?.code !== 'git_rate_limited' && isStatus(error, 401, 403, 404))
    return `Pushes are not noticed: the token may not make a webhook. It needs: ${rights[product]}.`
  if (refusal instanceof GitRefusal && refusal.status < 500 && refusal.reason)
    return `Pushes are not noticed: ${providerNames[product]} refused the webhook: ${refusal.reason}`
  return `Pushes are not noticed: ${error.message}`
}
