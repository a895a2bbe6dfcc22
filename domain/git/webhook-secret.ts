import { createHash } from 'node:crypto'

/** What a host is given to prove itself with, made of one secret of the connection's own. */
export type WebhookKeys = {
  /** The key of GitHub's and Bitbucket's signature; GitLab sends it along as it is. */
  token: string
  /** GitLab's signing token: of the token, which travels in the clear, it cannot be made. */
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
