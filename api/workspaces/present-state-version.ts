import { Type, type Static } from 'typebox'
import { runLabels } from '../../store/runs/run-labels.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import type { StateVersion } from '../../store/workspaces/state-versions.ts'
import { Id, Nullable, OneOf, Time } from '../http/schemas.ts'

export const StateVersionBody = Type.Object({
  id: Id,
  serial: Type.Integer(),
  lineage: Type.String(),
  sha256: Type.String(),
  /** `quarantined`: written by a run that had lost its workspace; never current. */
  status: OneOf(['finalized', 'quarantined']),
  reason: Nullable(Type.String()),
  runId: Nullable(Id),
  createdBy: Type.String(),
  createdAt: Time,
})

/** State versions as callers see them: never their bodies, and a run by its number. */
export async function presentStateVersions(
  tenant: Tenant,
  rows: readonly StateVersion[],
): Promise<Array<Static<typeof StateVersionBody>>> {
  const runIds = rows.flatMap(({ workspaceRunId }) => workspaceRunId ?? [])
  const labels = await runLabels(tenant, [...new Set(runIds)])
  return rows.map((row) => ({
    ...presentStateVersion(row),
    createdBy: labels.get(row.workspaceRunId ?? 0) ?? row.createdBy,
  }))
}

/** One that a person made. */
export const presentStateVersion = (row: StateVersion): Static<typeof StateVersionBody> => ({
  id: row.id,
  serial: row.serial,
  lineage: row.lineage,
  sha256: row.bodySha256,
  status: row.status,
  reason: row.reason,
  runId: row.workspaceRunId,
  createdBy: row.createdBy,
  createdAt: row.createdAt.toISOString(),
})
