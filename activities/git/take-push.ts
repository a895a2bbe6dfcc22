import { AppError, unavailable } from '../../domain/errors.ts'
import { firstLineOf } from '../../domain/runs/first-line.ts'
import { auditLog, systemActor } from '../../store/audit/audit-log.ts'
import { createRun } from '../../app/runs/create-run.ts'
import {
  readGitSource,
  type GitFiles,
  type GitSourceRead,
} from '../../app/workspaces/read-git-source.ts'
import { takeGitVersion } from '../../app/workspaces/take-git-version.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'
import type { Deps } from '../deps.ts'
import { notingRefusals } from './note-refusal.ts'

type Place = { organizationId: number; workspaceId: number }
type Read = GitSourceRead & { read: GitFiles }

const maxReads = 5

/**
 * Reads the head of a workspace's branch, stores it as the newest version and starts a run of it:
 * with `autoApply` one that may apply, else a plan-only run. Version and run are one transaction,
 * so a commit that is already stored starts nothing.
 */
export async function takePush(deps: Deps, place: Place): Promise<void> {
  for (let reads = 1; ; reads += 1)
    try {
      const found = await readGitSource(deps, place, async (connection, work) =>
        notingRefusals(deps, place.organizationId, { connection, work }),
      )
      if (found?.read) await write(deps, place, { ...found, read: found.read })
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

async function write(
  { store, keyring }: Deps,
  { organizationId, workspaceId }: Place,
  { read: source, onTopOf, updatedAt }: Read,
): Promise<void> {
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
      keyring,
      actor: systemActor,
    })
    if (!created) return
    const { words } = source.commits.find((one) => one.words?.sha === source.commit) ?? {}
    await createRun(tenant, {
      workspace,
      version,
      kind: workspace.autoApply ? 'apply' : 'plan',
      origin: 'push',
      startMessage: words ? firstLineOf(words.message) : null,
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
