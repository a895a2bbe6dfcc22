import { createHash } from 'node:crypto'

/** The credentials of a webhook, derived from one secret of its connection. */
export type WebhookKeys = {
  /** The key of GitHub's and Bitbucket's signatures; GitLab sends it as it is. */
  token: string
  /** GitLab's signing key. It cannot be derived from `token`, which is sent in the clear. */
  signingToken: string
  signingKey: Buffer
}

export function webhookKeys(secret: Buffer): WebhookKeys {
  const derive = (use: string) => createHash('sha256').update(`${use}\0`).update(secret).digest()
  const signingKey = derive('gitlab signing token')
  return {
    token: derive('webhook token').toString('hex'),
    signingToken: `whsec_${signingKey.toString('base64')}`,
    signingKey,
  }
}
