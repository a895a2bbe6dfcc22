import type { GitProduct } from '../../domain/git/providers.ts'
import type { Outbound } from '../outbound/outbound.ts'
import { bitbucketCloudHost } from './bitbucket-cloud/bitbucket-cloud-host.ts'
import { bitbucketDataCenterHost } from './bitbucket-data-center/bitbucket-data-center-host.ts'
import type { GitHost } from './git-host.ts'
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
  return makers[connection.product](outbound, connection)
}
