import type { FilesByBlob } from '../../domain/git/plan-hydration.ts'
import { folderOfWorkspace } from '../../domain/git/plan-hydration.ts'
import { openFiles } from '../../app/workspaces/open-files.ts'
import {
  gitHydrations,
  placeOfDifferences,
  type Difference,
  type GitHydration,
} from '../../store/git/git-hydrations.ts'
import {
  configurationVersions,
  type ConfigurationVersion,
} from '../../store/workspaces/configuration-versions.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'
import { gitConnections, type GitConnection } from '../../store/git/git-connections.ts'
import type { HydrateWorkspaceInput } from '../../workflows/git/contract.ts'
import type { Deps } from '../deps.ts'

export type LoadedHydration = {
  hydration: GitHydration
  /** Undefined if it was deleted meanwhile. */
  connection: GitConnection | undefined
  workspace: { id: number; name: string }
  version: ConfigurationVersion
  newest: number
  /** By path from the repository's root. */
  desired: Record<string, string>
  written: FilesByBlob[]
  /** What a person has seen and decided to overwrite. */
  accepted: readonly Difference[]
}

/** Everything that a hydrate needs to compute its change; undefined if it is over or its workspace is gone. */
export async function loadHydration(
  { store, keyring }: Deps,
  { organizationId, hydrationId }: HydrateWorkspaceInput,
): Promise<LoadedHydration | undefined> {
  return store.tenant(organizationId, async (tenant) => {
    const hydrations = gitHydrations(tenant)
    const hydration = await hydrations.find(hydrationId)
    if (hydration?.state !== 'queued') return undefined
    const workspace = await workspaces(tenant).get(hydration.workspaceId)
    const versions = configurationVersions(tenant)
    const version = await versions.get(hydration.configurationVersionId)
    const newest = await versions.newest(workspace.id)
    const sealed = await versions.sealedFiles(version.id)
    const files = openFiles({ keyring }, organizationId, sealed)
    const folder = folderOfWorkspace(workspace.name)
    const accepted =
      hydration.decision === 'ours' && hydration.differences
        ? (JSON.parse(
            keyring.open(placeOfDifferences(organizationId), hydration.differences).toString(),
          ) as Difference[])
        : []
    return {
      hydration,
      connection: hydration.connectionId
        ? await gitConnections(tenant).get(hydration.connectionId)
        : undefined,
      workspace: { id: workspace.id, name: workspace.name },
      version,
      newest: newest?.number ?? version.number,
      desired: Object.fromEntries(
        Object.entries(files).map(([path, content]) => [`${folder}/${path}`, content]),
      ),
      written: (await hydrations.written(hydration)).map(
        (listing) => new Map(Object.entries(listing)),
      ),
      accepted,
    }
  })
}
