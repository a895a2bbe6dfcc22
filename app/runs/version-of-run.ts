import { conflict, invalid } from '../../domain/errors.ts'
import type { Keyring } from '../../gateways/keyring/keyring.ts'
import type { AuditActor } from '../../store/audit/audit-log.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import {
  configurationVersions,
  type ConfigurationVersion,
} from '../../store/workspaces/configuration-versions.ts'
import type { Workspace } from '../../store/workspaces/workspaces.ts'
import type { GitSourceRead } from '../workspaces/read-git-source.ts'
import { takeGitVersion } from '../workspaces/take-git-version.ts'

/** Faults of a source that moved on while it was read: reading it again helps. */
export const movedCodes: ReadonlySet<string> = new Set(['git_source_moved', 'git_head_moved'])

/** What a run is made of: what was just read from Git, else the newest version. */
export async function versionOfRun(
  tenant: Tenant,
  { keyring }: { keyring: Keyring },
  at: {
    actor: AuditActor
    /** The caller holds its row lock. */
    workspace: Workspace
    source: GitSourceRead | undefined
  },
): Promise<ConfigurationVersion> {
  const { actor, workspace, source } = at
  // Led elsewhere since it was looked at: what was read is of another place.
  const led =
    source === undefined
      ? workspace.sourceKind === 'git'
      : workspace.updatedAt.getTime() !== source.updatedAt.getTime()
  if (led) throw conflict('git_source_moved', 'The configuration was changed meanwhile. Try again.')
  if (source?.read) {
    const { version } = await takeGitVersion(tenant, {
      workspace,
      read: source.read,
      onTopOf: source.onTopOf,
      keyring,
      actor,
    })
    return version
  }
  const version = await configurationVersions(tenant).newest(workspace.id)
  if (version) return version
  throw invalid(
    `The workspace ${workspace.name} has no files yet. Add its files before you start a run.`,
    undefined,
    'no_configuration',
  )
}
