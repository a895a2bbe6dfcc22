import { AppError } from '../../domain/errors.ts'
import { organizationOfApplicationRun } from '../../store/platform/run-owners.ts'
import type { Deps } from '../deps.ts'

/** The organization of a run of an application. Throws if the run was deleted. */
export async function ownerOfApplication(
  deps: Pick<Deps, 'store'>,
  runId: number,
): Promise<number> {
  const organizationId = await organizationOfApplicationRun(deps.store, runId)
  if (organizationId === undefined) throw new AppError('not_found', 'The run is gone')
  return organizationId
}
