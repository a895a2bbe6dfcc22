import { invalid, notFound } from '../../domain/errors.ts'
import type { Db } from '../../store/connect.ts'
import { gitConnections } from '../../store/git/git-connections.ts'
import type { NewWorkspaceBody } from './schemas.ts'

/**
 * A workspace names connections of its own organization; others do not exist (§1). No cloud
 * account can be made in this installation, so an id of one is nobody's.
 */
export async function assertConnected(
  db: Db,
  organizationId: number,
  {
    source,
    cloudAccountId,
    gitConnectionId,
  }: Pick<NewWorkspaceBody, 'source' | 'cloudAccountId' | 'gitConnectionId'>,
): Promise<void> {
  if (source?.kind === 'git' && !gitConnectionId)
    throw invalid('A git source needs the connection that it is read through.', [
      { path: 'gitConnectionId', message: 'is required where source.kind is "git"' },
    ])
  if (cloudAccountId) throw notFound()
  if (!gitConnectionId) return
  const { repoType } = await gitConnections(db, organizationId).get(gitConnectionId)
  if (source?.kind === 'git')
    throw invalid('Files are not read from a repository yet: send them to the configuration.', [
      { path: 'source.kind', message: 'must be "inline"' },
    ])
  if (repoType !== 'infra')
    throw invalid('A workspace is written to a connection of type "infra".', [
      { path: 'gitConnectionId', message: 'is a connection of type "application"' },
    ])
}
