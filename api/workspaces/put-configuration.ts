import type { Caller } from '../../domain/access/caller.ts'
import { auditedNames } from '../../domain/workspaces/audited-names.ts'
import { AppError, conflict } from '../../domain/errors.ts'
import { assertUsable } from '../../domain/workspaces/configuration-files.ts'
import type { ReadFiles } from '../../domain/workspaces/read-configuration-body.ts'
import {
  meetsPrecondition,
  type VersionPrecondition,
} from '../../domain/workspaces/version-precondition.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { queueHydration } from '../../app/git/queue-hydration.ts'
import {
  configurationVersions,
  type ConfigurationVersion,
} from '../../store/workspaces/configuration-versions.ts'
import { createVersion } from '../../app/workspaces/create-version.ts'
import { noteChange } from '../../app/workspaces/note-change.ts'
import type { Deps } from '../deps.ts'
import { holdWorkspace } from './hold-workspace.ts'

export type PutConfiguration = { version: ConfigurationVersion; created: boolean }

type Save = { id: number; files: ReadFiles; precondition?: VersionPrecondition }

/** Stores a new immutable version of a workspace's files; unchanged files keep the newest version. */
export async function putConfiguration(
  deps: Deps,
  caller: Caller,
  { id, files, precondition = {} }: Save,
): Promise<PutConfiguration> {
  return holdWorkspace(deps, { caller, id }, async (tenant, workspace) => {
    assertUsable(files, workspace.path)
    if (workspace.sourceKind === 'git')
      throw conflict(
        'source_is_git',
        'The files of this workspace come from its Git repository: change them there.',
      )
    const newest = await configurationVersions(tenant).newest(id)
    if (newest?.filesSha256 === files.sha256) {
      await configurationVersions(tenant).noteFiles(newest.id, files)
      return { version: newest, created: false }
    }
    // After the line above, so that a save whose answer was lost can be repeated (RFC 9110, 13.1.1).
    if (!meetsPrecondition(newest?.number, precondition))
      throw new AppError(
        'precondition_failed',
        'Another version of the files was saved meanwhile: read it, and save again on top of it.',
        { code: 'configuration_overtaken' },
      )

    const version = await createVersion(deps, tenant, {
      workspaceId: id,
      authorUserIds: [caller.userId],
      files,
    })
    await auditLog(tenant, actorOf(caller)).record('workspace.configuration_updated', {
      target: { kind: 'workspace', id, label: workspace.name },
      detail: { number: version.number, ...auditedNames(version.fileNames) },
    })
    await noteChange(tenant, caller, { workspaceId: id, what: 'configuration', effect: 'stale' })
    await queueHydration(tenant, { workspaceId: id, configurationVersionId: version.id })
    return { version, created: true }
  })
}
