import { AppError, unavailable } from '../../domain/errors.ts'
import type { ConfigurationFiles } from '../../domain/workspaces/configuration-files.ts'
import { connectGitHost } from '../../gateways/git/connect-git-host.ts'
import { readSource, type ReadSource } from '../../gateways/git/read-source.ts'
import { auditLog, systemActor } from '../../store/audit/audit-log.ts'
import { placeOfToken } from '../../store/git/git-connections.ts'
import { createRun } from '../../app/pipelines/create-run.ts'
import { sourceOfWorkspace } from '../../app/workspaces/source-of-workspace.ts'
import { takeGitVersion } from '../../app/workspaces/take-git-version.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'
import type { Deps } from '../deps.ts'
import { notingRefusals } from './note-refusal.ts'

type Place = { organizationId: number; workspaceId: number }
type Read = { read: ReadSource; onTopOf: number | null; updatedAt: Date }

const maxReads = 5

/**
 * Reads the head of a workspace's branch, stores it as the newest version and starts a run of it:
 * with `autoApply` one that may apply, else a plan-only run. Version and run are one transaction,
 * so a commit that is already stored starts nothing.
 */
export async function takePush(deps: Deps, place: Place): Promise<void> {
  for (let reads = 1; ; reads += 1)
    try {
      const found = await read(deps, place)
      if (found) await write(deps, place, found)
      return
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const moved = error.code === 'git_source_moved' || error.code === 'git_head_moved'
      if (moved && reads < maxReads) continue
      if (moved) throw unavailable('git_branch_busy', 'The branch moves too fast to be read.')
      // Deleted or disconnected since it was listed.
      if (error.fault === 'not_found' || error.code === 'not_connected') return
      // Faults that a retry cannot fix are recorded, and do not keep other workspaces from their push.
      if (error.fault !== 'invalid' && error.fault !== 'conflict') throw error
      return refuse(deps, place, error)
    }
}

async function read(
  { store, keyring, outbound }: Deps,
  { organizationId, workspaceId }: Place,
): Promise<Read | undefined> {
  const found = await store.tenant(organizationId, async (tenant) => {
    const workspace = await workspaces(tenant).get(workspaceId)
    if (workspace.sourceKind !== 'git') return undefined
    const source = await sourceOfWorkspace(tenant, workspace)
    return { ...source, updatedAt: workspace.updatedAt }
  })
  if (!found) return undefined
  const { connection, place, newest, current, sealedFiles, updatedAt } = found
  const { product, origin } = connection
  const token = keyring.open(placeOfToken(organizationId), connection.token).toString()
  const files = { organizationId, table: 'configuration_versions', column: 'files' }
  const known = {
    current,
    commitSha: newest?.commitSha ?? null,
    // Written by putConfiguration and takeGitVersion, in this shape.
    files: sealedFiles
      ? (JSON.parse(keyring.open(files, sealedFiles).toString()) as ConfigurationFiles)
      : {},
  }
  const host = connectGitHost(outbound, { product, origin, token })
  const answer = await notingRefusals({ store }, organizationId, {
    connection,
    work: async () => readSource(host, place, known),
  })
  return answer && { read: answer, onTopOf: newest?.id ?? null, updatedAt }
}

async function write(
  { store, keyring }: Deps,
  { organizationId, workspaceId }: Place,
  { read: source, onTopOf, updatedAt }: Read,
): Promise<void> {
  const files = { organizationId, table: 'configuration_versions', column: 'files' }
  await store.tenant(organizationId, async (tenant) => {
    const workspace = await workspaces(tenant).getForUpdate(workspaceId)
    // The source was changed since it was read.
    if (workspace.updatedAt.getTime() !== updatedAt.getTime())
      throw new AppError('conflict', 'The workspace was changed meanwhile.', {
        code: 'git_source_moved',
      })
    const { version, created } = await takeGitVersion(tenant, {
      workspace,
      read: source,
      onTopOf,
      seal: (text) => keyring.seal(files, text),
      actor: systemActor,
    })
    if (!created) return
    await createRun(tenant, {
      workspace,
      version,
      kind: workspace.autoApply ? 'apply' : 'plan',
      author: null,
      actor: systemActor,
    })
  })
}

/** What was pushed is no valid configuration: audited, because nobody waits for an answer. */
async function refuse(
  { store }: Deps,
  { organizationId, workspaceId }: Place,
  error: AppError,
): Promise<void> {
  await store.tenant(organizationId, async (tenant) => {
    const workspace = await workspaces(tenant).get(workspaceId)
    await auditLog(tenant, systemActor).record('git.push_refused', {
      outcome: 'failure',
      target: { kind: 'workspace', id: workspaceId, label: workspace.name },
      detail: { code: error.code, reason: error.message.slice(0, 500) },
    })
  })
}
