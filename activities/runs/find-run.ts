import { AppError } from '../../domain/errors.ts'
import { systemActor, type AuditActor } from '../../store/audit/audit-log.ts'
import { organizationOfRun } from '../../store/platform/run-owners.ts'
import { findRunOfStep, type RunOfStep } from '../../store/runs/run-of-step.ts'
import type { Deps } from '../deps.ts'

/** A run's rows, before any data of its author is opened. */
export type FoundRun = Omit<RunOfStep, 'author'> & {
  organizationId: number
  /** The run's author, in whose name the worker acts. */
  actor: AuditActor
}

export async function findRun(
  deps: Pick<Deps, 'store'>,
  workspaceRunId: number,
): Promise<FoundRun> {
  const organizationId = await ownerOf(deps, workspaceRunId)
  const { author, ...found } = await findRunOfStep(deps.store, organizationId, workspaceRunId)
  const id = found.run.authorUserId
  const actor: AuditActor =
    id === null || author === null ? systemActor : { kind: 'user', id, label: author }
  return { organizationId, ...found, actor }
}

/** The organization of a run. Throws if the run was deleted. */
export async function ownerOf(deps: Pick<Deps, 'store'>, workspaceRunId: number): Promise<number> {
  const organizationId = await organizationOfRun(deps.store, workspaceRunId)
  if (organizationId === undefined) throw new AppError('not_found', 'The run is gone')
  return organizationId
}
