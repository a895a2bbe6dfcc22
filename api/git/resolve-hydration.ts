import type { Tenant } from '../../store/driver/tenant.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { auditedNames } from '../../domain/workspaces/audited-names.ts'
import { conflict } from '../../domain/errors.ts'
import { folderOfWorkspace } from '../../domain/git/plan-hydration.ts'
import {
  checkConfigurationFiles,
  type ConfigurationFiles,
} from '../../domain/workspaces/configuration-files.ts'
import { prepareFiles } from '../../domain/workspaces/prepared-files.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import {
  gitHydrations,
  type Difference,
  type GitHydration,
  type HydrationSummary,
} from '../../store/git/git-hydrations.ts'
import { configurationVersions } from '../../store/workspaces/configuration-versions.ts'
import { queueHydration, startHydration } from '../../app/git/queue-hydration.ts'
import { createVersion } from '../../app/workspaces/create-version.ts'
import { noteChange } from '../../app/workspaces/note-change.ts'
import { openFiles } from '../../app/workspaces/open-files.ts'
import type { Workspace } from '../../store/workspaces/workspaces.ts'
import type { Deps } from '../deps.ts'
import { holdWorkspace } from '../workspaces/hold-workspace.ts'
import { differencesOf } from './present-hydration.ts'

type Choice = { id: number; hydrationId: number; take: 'ours' | 'theirs' }

/**
 * Applies a person's decision on files that were changed in the repository. `ours` overwrites
 * exactly what was shown; `theirs` stores it as a new version, with the person among its authors.
 */
export async function resolveHydration(
  deps: Deps,
  caller: Caller,
  { id, hydrationId, take }: Choice,
): Promise<HydrationSummary> {
  return holdWorkspace(deps, { caller, id }, async (tenant, workspace) => {
    const hydrations = gitHydrations(tenant)
    const row = await hydrations.getForUpdate(id, hydrationId)
    if (row.state !== 'diverged')
      throw conflict(
        'hydration_not_diverged',
        `This hydrate is ${row.state}: there is nothing to decide.`,
      )
    const newest = await configurationVersions(tenant).newest(id)
    if (newest?.id !== row.configurationVersionId)
      throw conflict('hydration_superseded', 'There is a newer configuration version by now.')

    if (take === 'ours') {
      await hydrations.decide(hydrationId, {
        decision: 'ours',
        state: 'queued',
        reason: null,
        endedAt: null,
      })
      // A second decision, on a later edit, starts another workflow.
      const attempt = `ours-${row.endedAt?.getTime() ?? 0}`
      await startHydration(tenant, { hydrationId, attempt })
    } else {
      await hydrations.decide(hydrationId, { decision: 'theirs', state: 'superseded' })
      await takeTheirs(deps, tenant, { caller, workspace, row })
    }
    await auditLog(tenant, actorOf(caller)).record('git.divergence_resolved', {
      target: { kind: 'workspace', id, label: workspace.name },
      detail: { hydrationId, take },
    })
    return hydrations.get(id, hydrationId)
  })
}

async function takeTheirs(
  deps: Deps,
  tenant: Tenant,
  { caller, workspace, row }: { caller: Caller; workspace: Workspace; row: GitHydration },
): Promise<void> {
  const { organizationId } = caller
  const sealed = await configurationVersions(tenant).sealedFiles(row.configurationVersionId)
  const ours = openFiles(deps, organizationId, sealed)
  const files = withTheirs(ours, workspace, differencesOf(deps.keyring, organizationId, row))
  checkConfigurationFiles(files, workspace.path)
  const version = await createVersion(deps, tenant, {
    workspaceId: workspace.id,
    authorUserIds: [caller.userId],
    // The author of the edit is not known for certain, so approval needs more than a Deployer.
    unknownAuthor: true,
    files: prepareFiles(files),
  })
  await auditLog(tenant, actorOf(caller)).record('workspace.configuration_updated', {
    target: { kind: 'workspace', id: workspace.id, label: workspace.name },
    detail: { number: version.number, ...auditedNames(version.fileNames), from: 'repository' },
  })
  await noteChange(tenant, caller, {
    workspaceId: workspace.id,
    what: 'configuration',
    effect: 'stale',
  })
  await queueHydration(tenant, {
    workspaceId: workspace.id,
    configurationVersionId: version.id,
  })
}

function withTheirs(
  ours: ConfigurationFiles,
  workspace: Workspace,
  differences: readonly Difference[],
): ConfigurationFiles {
  const folder = `${folderOfWorkspace(workspace.name)}/`
  const files = { ...ours }
  for (const { path, theirs } of differences) {
    // Files of a folder that the workspace has left are ignored.
    if (!path.startsWith(folder)) continue
    const name = path.slice(folder.length)
    if (theirs === null) delete files[name]
    else files[name] = theirs
  }
  return files
}
