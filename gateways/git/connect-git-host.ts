import { unavailable } from '../../domain/errors.ts'
import { providerNames, type GitProduct } from '../../domain/git/providers.ts'
import type { Outbound } from '../outbound/outbound.ts'
import { bitbucketCloudHost } from './bitbucket-cloud/bitbucket-cloud-host.ts'
import { bitbucketDataCenterHost } from './bitbucket-data-center/bitbucket-data-center-host.ts'
import type { GitHost } from './git-host.ts'
import { refusalOf } from './git-refusal.ts'
import { githubHost } from './github/github-host.ts'
import { gitlabHost } from './gitlab/gitlab-host.ts'

const makers = {
  github: githubHost,
  gitlab: gitlabHost,
  'bitbucket-cloud': bitbucketCloudHost,
  'bitbucket-data-center': bitbucketDataCenterHost,
}

/** The provider's own implementation for a connection. Nothing is called yet. */
export function connectGitHost(
  outbound: Outbound,
  connection: { product: GitProduct; origin: string; token: string },
): GitHost {
  const { product } = connection
  return withFixedErrors(providerNames[product], makers[product](outbound, connection))
}

/**
 * The same host, whose methods fail with an AppError alone. The text of a client library's error can contain
 * the request, and with it the token. So only the refusal inside of it is passed on, or else a fixed text.
 */
function withFixedErrors(provider: string, host: GitHost): GitHost {
  const methods = Object.entries(host).map(([name, method]) => {
    // Each field of a GitHost is an asynchronous method; which one it is does not matter here.
    const call = method as (...args: unknown[]) => Promise<unknown>
    const wrapped = async (...args: unknown[]) => {
      try {
        return await call(...args)
      } catch (error) {
        throw refusalOf(error) ?? misunderstood(provider, error)
      }
    }
    return [name, wrapped] as const
  })
  // The same names with methods of the same arguments and answers, which `Object.fromEntries` does not type.
  return Object.fromEntries(methods) as unknown as GitHost
}

const misunderstood = (provider: string, cause: unknown) =>
  unavailable(
    'git_provider_unavailable',
    `${provider} answered in a way that is not understood.`,
    cause,
  )
