import { Type, type Static } from 'typebox'
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

/** A state version as callers see it: never its body. */
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
