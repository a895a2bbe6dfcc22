import type { Tenant } from '../../store/driver/tenant.ts'
import { conflict } from '../../domain/errors.ts'
import type { WorkspaceSource } from '../../domain/git/workspace-source.ts'
import { gitConnections, type GitConnection } from '../../store/git/git-connections.ts'
import {
  configurationVersions,
  type ConfigurationVersion,
} from '../../store/workspaces/configuration-versions.ts'
import type { Workspace } from '../../store/workspaces/workspaces.ts'

export type SourceOfWorkspace = {
  connection: GitConnection
  place: WorkspaceSource & { repo: string; path: string }
  newest: ConfigurationVersion | undefined
  /** Whether the newest version was read from the current place: the source was not changed since. */
  current: boolean
  /** The blob id of each of its files; null where they were not noted. */
  blobs: string[] | null
}

/** Where a workspace of source `git` reads its files, and what it read last. */
export async function sourceOfWorkspace(
  tenant: Tenant,
  workspace: Workspace,
): Promise<SourceOfWorkspace> {
  if (workspace.gitConnectionId === null)
    throw conflict(
      'not_connected',
      'The Git connection of this workspace was disconnected. Set gitConnectionId to another one.',
    )
  const connection = await gitConnections(tenant).get(workspace.gitConnectionId)
  // Written by resolve-source.ts alone, in this shape.
  const source = workspace.source as WorkspaceSource
  const repo = source.repo ?? connection.defaultRepo
  const branch =
    source.branch ??
    (source.repo === undefined ? (connection.defaultBranch ?? undefined) : undefined)
  if (repo === null)
    throw conflict(
      'no_repository',
      'Neither the workspace nor its Git connection names a repository. Set source.repo.',
    )
  const versions = configurationVersions(tenant)
  const newest = await versions.newest(workspace.id)
  return {
    connection,
    place: { ...source, repo, path: workspace.path, ...(branch !== undefined && { branch }) },
    newest,
    current: newest?.source === 'git' && newest.createdAt > workspace.updatedAt,
    blobs: newest ? await versions.blobsOf(newest.id) : null,
  }
}
