import { setImmediate as others } from 'node:timers/promises'
import type { Tenant } from '../../store/driver/tenant.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { auditedNames } from '../../domain/workspaces/audited-names.ts'
import { conflict } from '../../domain/errors.ts'
import { folderOfWorkspace } from '../../domain/git/plan-hydration.ts'
import { assertUsable } from '../../domain/workspaces/configuration-files.ts'
import type { ReadFiles } from '../../domain/workspaces/read-configuration-body.ts'
import { readChangedFiles } from '../../gateways/configurations/read-configuration.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import {
  gitHydrations,
  type Difference,
  type HydrationSummary,
} from '../../store/git/git-hydrations.ts'
import { configurationVersions } from '../../store/workspaces/configuration-versions.ts'
import { queueHydration, startHydration } from '../../app/git/queue-hydration.ts'
import { createVersion } from '../../app/workspaces/create-version.ts'
import { noteChange } from '../../app/workspaces/note-change.ts'
import { openFilePieces } from '../../app/workspaces/open-files.ts'
import { workspaces, type Workspace } from '../../store/workspaces/workspaces.ts'
import type { Deps } from '../deps.ts'
import { holdWorkspace } from '../workspaces/hold-workspace.ts'
import { differencesOf } from './present-hydration.ts'
import { inSourceTurn } from './source-turns.ts'

type Choice = { id: number; hydrationId: number; take: 'ours' | 'theirs' }

/**
 * Applies a person's decision on files that were changed in the repository. `ours` overwrites
 * exactly what was shown; `theirs` stores it as a new version, with the person among its authors.
 */
export async function resolveHydration(
  deps: Deps,
  caller: Caller,
  choice: Choice,
): Promise<HydrationSummary> {
  const work = async () => decide(deps, caller, choice)
  return choice.take === 'theirs' ? inSourceTurn(caller.organizationId, work) : work()
}

async function decide(
  deps: Deps,
  caller: Caller,
  { id, hydrationId, take }: Choice,
): Promise<HydrationSummary> {
  const read = take === 'theirs' ? await readTheirs(deps, caller, { id, hydrationId }) : undefined
  return holdWorkspace(deps, { caller, id }, async (tenant, workspace) => {
    const hydrations = gitHydrations(tenant)
    const row = await hydrations.getForUpdate(id, hydrationId)
    if (row.state !== 'diverged')
      throw conflict(
        'hydration_not_diverged',
        `This hydrate is ${row.state}: there is nothing to decide.`,
      )
    const newest = await configurationVersions(tenant).newest(id)
    if (newest?.id !== row.configurationVersionId) throw superseded()

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
      // Another decision and its write came between.
      if (!read || read.endedAt !== row.endedAt?.getTime()) throw superseded()
      await hydrations.decide(hydrationId, { decision: 'theirs', state: 'superseded' })
      await takeTheirs(deps, tenant, { caller, workspace, files: read.files })
    }
    await auditLog(tenant, actorOf(caller)).record('git.divergence_resolved', {
      target: { kind: 'workspace', id, label: workspace.name },
      detail: { hydrationId, take },
    })
    return hydrations.get(id, hydrationId)
  })
}

const superseded = () =>
  conflict('hydration_superseded', 'There is a newer configuration version by now.')

type Theirs = { files: ReadFiles; endedAt: number | undefined }

/**
 * The version's files with what the repository has of them, read before the workspace is held; undefined where there
 * is nothing to decide. Both are ten megabytes at the most: others get their turn between.
 */
async function readTheirs(
  deps: Deps,
  { organizationId }: Caller,
  { id, hydrationId }: Omit<Choice, 'take'>,
): Promise<Theirs | undefined> {
  const { row, name, version } = await deps.store.tenant(organizationId, async (tenant) => {
    const found = await gitHydrations(tenant).getWhole(id, hydrationId)
    const workspace = await workspaces(tenant).get(id)
    const shown = await configurationVersions(tenant).get(found.configurationVersionId)
    return { row: found, name: workspace.name, version: shown }
  })
  if (row.state !== 'diverged') return undefined
  const differences = differencesOf(deps.keyring, organizationId, row)
  const unread = differences.find(({ tooLarge }) => tooLarge)
  if (unread)
    throw conflict(
      'hydration_too_large',
      `${unread.path} of the repository is more than a configuration may have. Make it smaller there, or take "ours".`,
    )
  await others()
  const ours = openFilePieces(deps, organizationId, version)
  const files = await readChangedFiles(organizationId, ours, theirsOf(name, differences))
  return { files, endedAt: row.endedAt?.getTime() }
}

async function takeTheirs(
  deps: Deps,
  tenant: Tenant,
  { caller, workspace, files }: { caller: Caller; workspace: Workspace; files: ReadFiles },
): Promise<void> {
  assertUsable(files, workspace.path)
  const version = await createVersion(deps, tenant, {
    workspaceId: workspace.id,
    authorUserIds: [caller.userId],
    // The author of the edit is not known for certain, so approval needs more than a Deployer.
    unknownAuthor: true,
    files,
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

function theirsOf(workspaceName: string, differences: readonly Difference[]) {
  const folder = `${folderOfWorkspace(workspaceName)}/`
  return differences.flatMap(({ path, theirs }) =>
    // Files of a folder that the workspace has left are ignored.
    path.startsWith(folder) ? [[path.slice(folder.length), theirs] as const] : [],
  )
}
