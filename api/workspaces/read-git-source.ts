import type { ConfigurationFiles } from '../../domain/workspaces/configuration-files.ts'
import { readSource, type ReadSource } from '../../gateways/git/read-source.ts'
import { sourceOfWorkspace } from '../../app/workspaces/source-of-workspace.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'
import type { Deps } from '../deps.ts'
import { openHost } from '../../app/git/open-host.ts'

/** What was read, and the version it was compared with. Without `read` the branch is unchanged since that version. */
export type GitSourceRead = {
  read: ReadSource | undefined
  onTopOf: number | null
  /** When the workspace was last changed before the read. */
  updatedAt: Date
}

/** The files of a workspace of source `git` at its branch's head; undefined for any other workspace. */
export async function readGitSource(
  deps: Pick<Deps, 'store' | 'keyring' | 'outbound'>,
  organizationId: number,
  workspaceId: number,
): Promise<GitSourceRead | undefined> {
  const found = await deps.store.tenant(organizationId, async (tenant) => {
    const workspace = await workspaces(tenant).get(workspaceId)
    if (workspace.sourceKind !== 'git') return undefined
    const source = await sourceOfWorkspace(tenant, workspace)
    return { ...source, updatedAt: workspace.updatedAt }
  })
  if (!found) return undefined
  const { connection, place, newest, current, sealedFiles, updatedAt } = found
  const sealedAt = { organizationId, table: 'configuration_versions', column: 'files' }
  const known = sealedFiles && {
    current,
    commitSha: newest?.commitSha ?? null,
    // Written by putConfiguration and takeGitVersion, in this shape.
    files: JSON.parse(deps.keyring.open(sealedAt, sealedFiles).toString()) as ConfigurationFiles,
  }
  const host = openHost(deps, organizationId, connection)
  return { read: await readSource(host, place, known), onTopOf: newest?.id ?? null, updatedAt }
}
