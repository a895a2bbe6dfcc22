import type { Caller } from '../../domain/access/caller.ts'
import { actorOf, auditLog, type AuditTarget } from '../../store/audit/audit-log.ts'
import type { Store } from '../../store/driver/connect.ts'

export type Denial = {
  event: string
  /** What was tried. Repeated within a minute, it is counted in one entry. */
  attempt: string
  target?: AuditTarget
  detail: Record<string, unknown>
}

/**
 * Audits what a caller was denied, in a transaction of its own: the refusal has rolled back the
 * transaction that it was thrown in, or there was none.
 */
export async function noteDenial(
  store: Store,
  caller: Caller,
  { event, attempt, ...write }: Denial,
): Promise<void> {
  await store.tenant(caller.organizationId, async (tenant) =>
    auditLog(tenant, actorOf(caller)).recordDenial(event, `${caller.kind}:${caller.credentialId}`, {
      route: attempt,
      ...write,
    }),
  )
}

/** Runs `work`, and audits an error of it that is a denial after its transaction has rolled back. */
export async function notingDenial<T>(
  { store, caller }: { store: Store; caller: Caller },
  denialOf: (error: unknown) => Denial | undefined,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const denial = denialOf(error)
    if (denial) await noteDenial(store, caller, denial)
    throw error
  }
}
