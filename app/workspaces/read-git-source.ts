import { readSource, type ReadSource } from '../../gateways/git/read-source.ts'
import { readSourceFiles } from '../../gateways/configurations/read-configuration.ts'
import { isListed, type AssembledFiles } from '../../domain/workspaces/assemble-files.ts'
import type { Keyring } from '../../gateways/keyring/keyring.ts'
import type { Outbound } from '../../gateways/outbound/outbound.ts'
import type { Store } from '../../store/driver/connect.ts'
import type { GitConnection } from '../../store/git/git-connections.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'
import { openHost } from '../git/open-host.ts'
import { openFilePieces } from './open-files.ts'
import { sourceOfWorkspace } from './source-of-workspace.ts'

export type GitFiles = Omit<ReadSource, 'files'> & {
  /** Undefined where the version that they were compared with has the same, and is of a commit too. */
  files: AssembledFiles | undefined
}

/** What was read, and the version it was compared with. Without `read` the branch is unchanged since that version. */
export type GitSourceRead = {
  read: GitFiles | undefined
  onTopOf: number | null
  /** When the workspace was last changed before the read. */
  updatedAt: Date
}

/** Runs what asks the host of a connection. */
export type Ask = <T>(connection: GitConnection, work: () => Promise<T>) => Promise<T>

/** The files of a workspace of source `git` at its branch's head; undefined for any other workspace. */
export async function readGitSource(
  deps: { store: Store; keyring: Keyring; outbound: Outbound },
  { organizationId, workspaceId }: { organizationId: number; workspaceId: number },
  ask: Ask = async (_, work) => work(),
): Promise<GitSourceRead | undefined> {
  const found = await deps.store.tenant(organizationId, async (tenant) => {
    const workspace = await workspaces(tenant).get(workspaceId)
    if (workspace.sourceKind !== 'git') return undefined
    const source = await sourceOfWorkspace(tenant, workspace)
    return { ...source, updatedAt: workspace.updatedAt }
  })
  if (!found) return undefined
  const { connection, place, newest, current, blobs, updatedAt } = found
  const known = newest && {
    current,
    commitSha: newest.commitSha,
    names: newest.fileNames,
    blobs,
  }
  const host = openHost(deps, organizationId, connection)
  const read = await ask(connection, async () => readSource(host, place, known))
  const same = read && known?.commitSha && isListed(read.files.listed, known)
  const files =
    read && !same
      ? await readSourceFiles(organizationId, {
          source: read.files,
          earlier: newest && openFilePieces(deps, organizationId, newest),
          commit: read.commit,
        })
      : undefined
  return { read: read && { ...read, files }, onTopOf: newest?.id ?? null, updatedAt }
}
