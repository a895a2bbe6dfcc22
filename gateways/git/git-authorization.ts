import type { GitProduct } from '../../domain/git/providers.ts'

/**
 * The header that authenticates git itself rather than an API: each product has its own user name for
 * tokens (docs: "Authenticating with a personal access token", "Clone using a token", "Using access
 * tokens", "Using API tokens", "HTTP access tokens").
 */
export function gitAuthorization(product: GitProduct, token: string): string {
  if (product === 'bitbucket-data-center') return `Bearer ${token}`
  if (product === 'github') return basic('x-access-token', token)
  if (product === 'gitlab') return basic('oauth2', token)
  const at = token.indexOf(':')
  return at < 0
    ? basic('x-token-auth', token)
    : basic('x-bitbucket-api-token-auth', token.slice(at + 1))
}

const basic = (user: string, password: string) =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
