import { randomBytes } from 'node:crypto'
import type { Harness } from '../harness/create-harness.ts'

export const fenceOf = async (
  harness: Harness,
  workspaceRunId: number,
): Promise<{ fence: number }> =>
  harness.deps.store
    .platform('workspaces as w')
    .join('workspace_runs as r', 'r.workspaceId', 'w.id')
    .where('r.id', workspaceRunId)
    .first('w.fence')

/** Inserts an apply attempt by another worker, with its last heartbeat at `beatAt`. */
export async function attemptOfAnother(
  harness: Harness,
  workspaceRunId: number,
  beatAt: Date,
): Promise<void> {
  const { platform } = harness.deps.store
  const { fence } = await fenceOf(harness, workspaceRunId)
  const { organizationId, workspaceId } = await platform('workspace_runs')
    .where({ id: workspaceRunId })
    .first('organizationId', 'workspaceId')
  await platform('apply_attempts').insert({
    organizationId,
    workspaceRunId,
    fence,
    worker: `other-${randomBytes(2).toString('hex')}`,
    spawnedAt: beatAt,
    beatAt,
  })
  await platform('workspace_locks').insert({
    organizationId,
    workspaceId,
    kind: 'run',
    workspaceRunId,
    label: `run ${workspaceRunId}`,
  })
  await platform('workspace_runs').where({ id: workspaceRunId }).update({ phase: 'applying' })
}
