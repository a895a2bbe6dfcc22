import type { Caller } from '../../domain/access/caller.ts'
import { invalid } from '../../domain/errors.ts'
import { repositoryName } from '../../domain/git/repository-name.ts'
import { unmarkBranch } from '../../gateways/git/own-branch.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import {
  gitConnections,
  type GitClaim,
  type GitConnection,
} from '../../store/git/git-connections.ts'
import { noteMovedDefaults } from '../../app/git/note-moved-defaults.ts'
import { startInitialization } from '../../app/git/start-initialization.ts'
import { startPipelineWebhook, startWebhook } from '../../app/git/start-webhook.ts'
import { triggeredPipelines } from '../../store/pipelines/pipelines.ts'
import type { Deps } from '../deps.ts'
import { claimOf, markReady } from './create-connection.ts'
import { holdingFollowed } from './hold-followed.ts'
import { findRepository, type FoundRepository } from './find-repository.ts'
import { markOrUndo, ownershipOf } from './mark-claim.ts'
import { openHost } from '../../app/git/open-host.ts'
import type { GitDefaultsBody } from './schemas.ts'
import { newWebhookSecret, syncWebhook } from '../../app/git/sync-webhook.ts'
import { publicOrigin } from '../http/public-origin.ts'
import { removeWebhook } from './remove-webhook.ts'
import { waitForInitialization } from './wait-for-initialization.ts'

/** Moves a connection to another repository or branch, which is claimed and marked before the old one is released. */
export async function setDefaults(
  deps: Deps,
  caller: Caller,
  { id, defaults }: { id: number; defaults: GitDefaultsBody },
): Promise<GitConnection> {
  const { organizationId } = caller
  const { before, old } = await deps.store.tenant(organizationId, async (tenant) => {
    const connections = gitConnections(tenant)
    return { before: await connections.get(id), old: await connections.claimOf(id) }
  })
  const name =
    defaults.defaultRepo === undefined
      ? before.defaultRepo
      : repositoryName(defaults.defaultRepo, { ...before, field: 'defaultRepo' })
  if (!name)
    throw invalid('defaultRepo: this connection has no repository yet.', [
      { path: 'defaultRepo', message: 'is required where there is none yet' },
    ])
  const host = openHost(deps, organizationId, before)
  const branch =
    defaults.defaultBranch ??
    (defaults.defaultRepo === undefined ? before.defaultBranch : undefined)
  const found = await findRepository(host, {
    name,
    branch: branch ?? undefined,
    repoType: before.repoType,
    fields: { repo: 'defaultRepo', branch: 'defaultBranch' },
  })
  const claim = claimOf(before.host, found)
  const otherRepository = old?.repositoryId !== claim.repositoryId
  const moved = !old || old.repositoryId !== claim.repositoryId || old.branch !== claim.branch

  const moves = { moved, otherRepository }
  const after = await writeDefaults(deps, caller, { before, found, claim, moves })
  if (!moved) return after
  const owned = await markOrUndo(deps, caller, {
    claim: { host, connection: after, ...found },
    undo: async () => putBack(deps, caller, { before, old, after }),
  })
  if (old) await giveBack(deps, caller, { connection: before, claim: old })
  // The webhook of a repository covers all of its branches.
  if (otherRepository) {
    await removeWebhook(deps, () => host, before)
    const origin = publicOrigin({ server: { deps } })
    await syncWebhook(deps, organizationId, { host, connection: after, origin })
  }
  if (owned === 'ours' && after.repoType === 'application') await markReady(deps, caller, after)
  return waitForInitialization(deps, caller, after)
}

type Written = {
  before: GitConnection
  found: FoundRepository
  claim: GitClaim
  moves: { moved: boolean; otherRepository: boolean }
}

/** Claims the new branch and says so to what follows the connection, in one transaction. */
async function writeDefaults(
  deps: Deps,
  caller: Caller,
  { before, found, claim, moves: { moved, otherRepository } }: Written,
): Promise<GitConnection> {
  const { organizationId } = caller
  const { id } = before
  return holdingFollowed(
    deps,
    { organizationId, id },
    async (tenant, { followers, connection: held }) => {
      const connections = gitConnections(tenant)
      const changed = await connections.update(id, {
        defaultRepo: found.repository.fullName,
        defaultBranch: found.branch,
        ...(moved && { status: 'initializing' as const, statusReason: null }),
        ...(otherRepository && {
          webhookState: 'pending' as const,
          webhookSecret: before.webhookSecret ?? newWebhookSecret(deps, organizationId),
        }),
      })
      // Compared with the row as it is now: another request may have moved it while the host was asked.
      await noteMovedDefaults(tenant, caller, {
        followers,
        moved: {
          repo: otherRepository || held.defaultRepo !== before.defaultRepo,
          branch: held.defaultBranch !== changed.defaultBranch,
        },
      })
      if (moved) {
        await connections.claim(id, claim)
        await startInitialization(tenant, { connectionId: id, claim })
      }
      if (otherRepository) {
        await startWebhook(tenant, id)
        // The webhook of the repository before may be a pipeline's too, and is removed below.
        for (const pipeline of await triggeredPipelines(tenant, id))
          await startPipelineWebhook(tenant, pipeline, { afterSeconds: 60 })
      }
      await auditLog(tenant, actorOf(caller)).record('git.connection_default_set', {
        target: { kind: 'git_connection', id, label: found.repository.fullName },
        detail: {
          repo: { from: before.defaultRepo, to: changed.defaultRepo },
          branch: { from: before.defaultBranch, to: changed.defaultBranch },
        },
      })
      return changed
    },
  )
}

type Undone = { before: GitConnection; old: GitClaim | undefined; after: GitConnection }

/** The new branch could not be claimed: restores the previous one. A run may have read the new one meanwhile. */
async function putBack(deps: Deps, caller: Caller, { before, old, after }: Undone): Promise<void> {
  const at = { organizationId: caller.organizationId, id: before.id, insists: true }
  await holdingFollowed(deps, at, async (tenant, { followers }) => {
    const { defaultRepo, defaultBranch, status, statusReason, webhookState } = before
    const connections = gitConnections(tenant)
    if (old) await connections.claim(before.id, old)
    else await connections.release(before.id)
    await connections.update(before.id, {
      defaultRepo,
      defaultBranch,
      status,
      statusReason,
      webhookState,
    })
    const moved = {
      repo: after.defaultRepo !== defaultRepo,
      branch: after.defaultBranch !== defaultBranch,
    }
    await noteMovedDefaults(tenant, caller, { followers, moved })
  })
}

/** Removes our marker from a released branch. A failure does not affect the caller. */
export async function giveBack(
  deps: Deps,
  { organizationId }: Caller,
  { connection, claim }: { connection: GitConnection; claim: GitClaim },
): Promise<boolean> {
  try {
    if (!connection.defaultRepo) return false
    const host = openHost(deps, organizationId, connection)
    const repository = await host.repository(connection.defaultRepo)
    if (repository.id !== claim.repositoryId) return false
    const owner = await ownershipOf(deps, organizationId, {
      connection,
      repository: repository.id,
      branch: claim.branch,
    })
    return await unmarkBranch(host, deps.keyring, { repository, owner })
  } catch (error) {
    deps.log.warn({ err: error, connectionId: connection.id }, 'a marker was left behind')
    return false
  }
}
