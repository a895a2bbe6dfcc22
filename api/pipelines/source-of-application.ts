import { invalid } from '../../domain/errors.ts'
import { repositoryName } from '../../domain/git/repository-name.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { gitConnections } from '../../store/git/git-connections.ts'
import type { Pipeline } from '../../store/pipelines/pipelines.ts'

export type ApplicationSource = Pick<Pipeline, 'appGitConnectionId' | 'appRepo'>

/** The repository that an application is built from, by the name that its host uses. */
export async function sourceOfApplication(
  tenant: Tenant,
  {
    appGitConnectionId,
    appRepo,
  }: { appGitConnectionId?: number | null | undefined; appRepo?: string | null | undefined },
): Promise<ApplicationSource> {
  // Locked until the pipeline exists, so that a concurrent disconnect happens before or after it.
  const connection = appGitConnectionId
    ? await gitConnections(tenant).getForUpdate(appGitConnectionId)
    : undefined
  if (!connection || !appRepo) {
    const missing = [...(connection ? [] : ['appGitConnectionId']), ...(appRepo ? [] : ['appRepo'])]
    throw invalid(
      'An application pipeline needs an application Git connection and a repository.',
      missing.map((path) => ({ path, message: 'is required for kind "application"' })),
    )
  }
  const { id, repoType, product, host } = connection
  if (repoType !== 'application')
    throw invalid('An application pipeline needs a Git connection of type "application".', [
      { path: 'appGitConnectionId', message: 'is a connection of type "infra"' },
    ])
  return {
    appGitConnectionId: id,
    appRepo: repositoryName(appRepo, { product, host, field: 'appRepo' }),
  }
}
