import { newToken } from '../../../domain/access/credentials.ts'
import type { Deps } from '../../../api/deps.ts'
import { unwrap } from '../../../store/driver/tenant.ts'
import { workspaceRuns } from '../../../store/runs/workspace-runs.ts'
import { configurationVersions } from '../../../store/workspaces/configuration-versions.ts'
import { workspaceLocks } from '../../../store/workspaces/workspace-locks.ts'
import { workspaces } from '../../../store/workspaces/workspaces.ts'

export type PlacedRun = { id: number; token: string; fence: number }

/**
 * A run in a phase with the rows that its worker would have written: its token, and during the
 * apply the fencing token and the lock.
 */
export async function runInPhase(
  deps: Deps,
  place: { organizationId: number; workspaceId: number; authorUserId: number },
  phase: 'planning' | 'awaiting_approval' | 'apply_queued' | 'applying',
): Promise<PlacedRun> {
  const { organizationId, workspaceId, authorUserId } = place
  const secret = newToken('run')
  return deps.store.tenant(organizationId, async (tenant) => {
    const version = await configurationVersions(tenant).newest(workspaceId)
    if (!version) throw new Error('the workspace has no configuration')
    const run = await workspaceRuns(tenant).create({
      workspaceId,
      kind: 'apply',
      destroy: false,
      configurationVersionId: version.id,
      origin: 'person',
      authorUserId,
    })
    await workspaceRuns(tenant).move(run.id, ['queued'], { phase })
    const applying = phase === 'applying'
    const fence = applying
      ? await workspaces(tenant).raiseFence(workspaceId)
      : (await workspaces(tenant).get(workspaceId)).fence
    if (applying)
      await workspaceLocks(tenant).take({
        workspaceId,
        kind: 'run',
        workspaceRunId: run.id,
        label: `run ${run.id}`,
      })
    await unwrap(tenant)
      .db('tokens')
      .insert({
        organizationId,
        kind: 'run',
        name: `run ${run.id}`,
        workspaceRunId: run.id,
        runPhase: applying ? 'apply' : 'plan',
        fence,
        hash: secret.hash,
        prefix: secret.prefix,
        expiresAt: new Date(Date.now() + 3_600_000),
      })
    return { id: run.id, token: secret.plain, fence }
  })
}
