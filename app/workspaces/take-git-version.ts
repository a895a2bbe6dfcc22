import type { Tenant } from '../../store/driver/tenant.ts'
import { conflict } from '../../domain/errors.ts'
import { auditedNames } from '../../domain/workspaces/audited-names.ts'
import { assertUsable } from '../../domain/workspaces/configuration-files.ts'
import type { AssembledFiles } from '../../domain/workspaces/assemble-files.ts'
import type { Keyring } from '../../gateways/keyring/keyring.ts'
import { auditLog, type AuditActor } from '../../store/audit/audit-log.ts'
import { authorsOfCommits, type Attribution } from '../git/authors-of-commits.ts'
import { createVersion } from './create-version.ts'
import { voidWaitingRuns } from '../runs/void-waiting-runs.ts'
import {
  configurationVersions,
  type ConfigurationVersion,
} from '../../store/workspaces/configuration-versions.ts'
import { workspaceAuthorship } from '../../store/workspaces/workspace-authorship.ts'
import type { Workspace } from '../../store/workspaces/workspaces.ts'

type CommitWords = { sha: string; author: string; message: string }

export type GitVersion = {
  /** The caller holds its row lock. */
  workspace: Workspace
  /** What was read, and the version it was compared with: null if there was none. */
  read: {
    commit: string
    branch: string
    /** Undefined where the version that it was compared with has the same files and a commit. */
    files: AssembledFiles | undefined
    commits: ReadonlyArray<Attribution & { words?: CommitWords }>
    complete: boolean
    pushes: ReadonlyArray<Attribution & { after: string }> | null
  }
  onTopOf: number | null
  keyring: Keyring
  actor: AuditActor
}

/**
 * Stores what was read at a commit as the workspace's newest version. Unchanged files keep the newest
 * version. Throws if another version became the newest meanwhile, so that the caller reads again and
 * an older commit does not overwrite a newer one.
 */
export async function takeGitVersion(
  tenant: Tenant,
  { workspace, read, onTopOf, keyring, actor }: GitVersion,
): Promise<{ version: ConfigurationVersion; created: boolean }> {
  const { commit, branch, files } = read
  const versions = configurationVersions(tenant)
  const newest = await versions.newest(workspace.id)
  if ((newest?.id ?? null) !== onTopOf)
    throw conflict('git_source_moved', 'The configuration was changed meanwhile. Try again.')
  if (newest && !files) {
    assertUsable({ names: newest.fileNames, details: [], refused: [] }, workspace.path)
    return { version: newest, created: false }
  }
  if (!files) throw new Error('no files were read, and there is no version')
  assertUsable(files, workspace.path)
  if (newest?.commitSha && files.unchanged) {
    await versions.noteFiles(newest.id, files)
    return { version: newest, created: false }
  }

  const authors = await authorsOfCommits(tenant, read)
  const version = await createVersion({ keyring }, tenant, {
    workspaceId: workspace.id,
    files,
    commit,
    words: read.commits.find(({ words }) => words?.sha === commit)?.words,
    ...authors,
  })
  await auditLog(tenant, actor).record('workspace.configuration_updated', {
    target: { kind: 'workspace', id: workspace.id, label: workspace.name },
    detail: { number: version.number, ...auditedNames(version.fileNames), branch, commit },
  })
  const what = `configuration (commit ${commit.slice(0, 12)})`
  for (const author of authors.authorUserIds)
    await workspaceAuthorship(tenant).add([workspace.id], author, what)
  await voidWaitingRuns(tenant, {
    workspaceId: workspace.id,
    actor,
    effect: 'stale',
    what: `${what} changed in ${branch}`,
  })
  return { version, created: true }
}
