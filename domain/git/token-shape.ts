import { invalid } from '../errors.ts'
import type { GitProduct } from './providers.ts'

/**
 * Refuses text that cannot be a token of this provider before any call, so that a password or another
 * service's token pasted by mistake is not sent to a third party. The error does not contain the token.
 */
export function checkTokenShape(product: GitProduct, token: string): void {
  const fault = faultOfToken(product, token)
  if (fault)
    throw invalid(`token: ${fault}.`, [{ path: 'token', message: fault }], 'git_token_shape')
}

function faultOfToken(product: GitProduct, token: string): string | undefined {
  if (!/^[\u0021-\u007e]{8,512}$/.test(token)) return 'has 8 to 512 visible ASCII characters'
  const stranger = strangers.find(({ pattern, of }) => pattern.test(token) && !of.includes(product))
  if (stranger) return `is a token of ${stranger.name}`
  if (
    product === 'github' &&
    !/^(gh[pousr]_[A-Za-z0-9_]{16,}|github_pat_\w{20,}|[0-9a-f]{40})$/.test(token)
  )
    return 'is a GitHub token: it begins with ghp_ or github_pat_'
  if (product === 'gitlab' && !/^(gl[a-z]{2,6}-[\w.-]{10,}|[\w.-]{20,})$/.test(token))
    return 'is a GitLab token: it begins with glpat-, or has 20 characters of A-Z, a-z, 0-9, _ and -'
  if (
    product === 'bitbucket-cloud' &&
    !/^(?:[^\s:@]+@[^\s:@]+\.[^\s:@]+:)?[\w=.+/-]{16,}$/.test(token)
  )
    return 'is a Bitbucket access token, or has the form email:token'
  if (product === 'bitbucket-data-center' && !/^[A-Za-z0-9+/=_-]{16,}$/.test(token))
    return 'is an HTTP access token of Bitbucket Data Center'
  return undefined
}

const strangers: ReadonlyArray<{ pattern: RegExp; name: string; of: readonly GitProduct[] }> = [
  { pattern: /^(gh[pousr]_|github_pat_)/, name: 'GitHub', of: ['github'] },
  { pattern: /^gl(pat|ptt|cbt|dt|rt|ft|imt|agent|oas|soat|ffct)-/, name: 'GitLab', of: ['gitlab'] },
  { pattern: /^AT(ATT|CTT|BB)[A-Za-z0-9]/, name: 'Atlassian', of: ['bitbucket-cloud'] },
  { pattern: /^cc_(pat|scim|agt)_/, name: 'cloud-control', of: [] },
  { pattern: /^(AKIA|ASIA)[A-Z0-9]{16}$/, name: 'AWS', of: [] },
  { pattern: /^xox[abposr]-/, name: 'Slack', of: [] },
]
