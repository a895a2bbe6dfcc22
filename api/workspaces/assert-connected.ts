import { invalid, notFound } from '../../domain/errors.ts'
import type { NewWorkspaceBody } from './schemas.ts'

/**
 * No cloud account and no Git connection can be made in this installation, so an id of
 * either is nobody's: the same answer that another organization's id gets.
 */
export function assertConnected({
  source,
  cloudAccountId,
  gitConnectionId,
}: Pick<NewWorkspaceBody, 'source' | 'cloudAccountId' | 'gitConnectionId'>): void {
  if (source?.kind === 'git' && !gitConnectionId)
    throw invalid('A git source needs the connection that it is read through.', [
      { path: 'gitConnectionId', message: 'is required where source.kind is "git"' },
    ])
  if (cloudAccountId || gitConnectionId) throw notFound()
}
