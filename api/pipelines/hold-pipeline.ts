import type { Caller } from '../../domain/access/caller.ts'
import { GuardDenied } from '../../domain/workspaces/guard-denied.ts'
import { deniedCaller, notingDenial } from '../../app/audit/note-denial.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { pipelines, type Pipeline } from '../../store/pipelines/pipelines.ts'
import type { Deps } from '../deps.ts'

/**
 * Runs `work` in one transaction that locks the pipeline's row, as starts of its runs do. A refused
 * change of a guard rolls the transaction back, so its audit entry is written afterwards.
 */
export async function holdPipeline<T>(
  deps: Deps,
  { caller, id }: { caller: Caller; id: number },
  work: (tenant: Tenant, pipeline: Pipeline) => Promise<T>,
): Promise<T> {
  return auditingGuards(deps, { caller, id }, async () =>
    deps.store.tenant(caller.organizationId, async (tenant) =>
      work(tenant, await pipelines(tenant).getForUpdate(id)),
    ),
  )
}

/** `id` undefined: of a pipeline that is not made. */
export async function auditingGuards<T>(
  { store }: Pick<Deps, 'store'>,
  { caller, id }: { caller: Caller; id?: number },
  work: () => Promise<T>,
): Promise<T> {
  return notingDenial(
    { store, denied: [deniedCaller(caller)] },
    (error) =>
      error instanceof GuardDenied
        ? {
            event: 'pipeline.denied',
            attempt:
              id === undefined
                ? `create a pipeline with ${error.what}`
                : `change ${error.what} of pipeline ${id}`,
            ...(id !== undefined && { target: { kind: 'pipeline', id } }),
            detail: {
              what: error.what,
              capability: 'manage_cloud_accounts',
              role: caller.role,
            },
          }
        : undefined,
    work,
  )
}
