export const gitProviders = ['github', 'gitlab', 'bitbucket'] as const
export type GitProvider = (typeof gitProviders)[number]

/** Bitbucket is two products that share a name: Data Center is the one that is self-hosted. */
export type GitProduct = 'github' | 'gitlab' | 'bitbucket-cloud' | 'bitbucket-data-center'

export const publicHosts: Record<GitProvider, string> = {
  github: 'github.com',
  gitlab: 'gitlab.com',
  bitbucket: 'bitbucket.org',
}

export const productOf = (provider: GitProvider, host: string): GitProduct => {
  if (provider !== 'bitbucket') return provider
  return host === publicHosts.bitbucket ? 'bitbucket-cloud' : 'bitbucket-data-center'
}

export const providerNames: Record<GitProduct, string> = {
  github: 'GitHub',
  gitlab: 'GitLab',
  'bitbucket-cloud': 'Bitbucket',
  'bitbucket-data-center': 'Bitbucket Data Center',
}
