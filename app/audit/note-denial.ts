import type { Caller } from '../../domain/access/caller.ts'
import {
  actorOf,
  auditLog,
  type AuditActor,
  type AuditTarget,
} from '../../store/audit/audit-log.ts'
import type { Store } from '../../store/driver/connect.ts'
import type { Tenant } from '../../store/driver/tenant.ts'

export type Denial = {
  event: string
  /** What was tried. Repeated within a minute by the same party, it is counted in one entry. */
  attempt: string
  target?: AuditTarget
  detail: Record<string, unknown>
  /** What else is kept of it, in the transaction of the entry. */
  alongside?: (tenant: Tenant) => Promise<unknown>
}

/** Who was denied, and where it is audited. */
export type Denied = {
  organizationId: number
  actor: AuditActor
  /** Whose attempts are counted together: a credential, an address. */
  party: string
}

export const deniedCaller = (caller: Caller): Denied => ({
  organizationId: caller.organizationId,
  actor: actorOf(caller),
  party: `${caller.kind}:${caller.credentialId}`,
})

/**
 * Audits what somebody was denied, in a transaction of its own: the refusal has rolled back the
 * transaction that it was thrown in, or there was none.
 */
export async function noteDenial(store: Store, denied: Denied, denial: Denial): Promise<void> {
  await store.tenant(denied.organizationId, async (tenant) => recordDenial(tenant, denied, denial))
}

/** The same in the caller's transaction, for a refusal that is committed. */
export async function recordDenial(
  tenant: Tenant,
  { actor, party }: Denied,
  { event, attempt, target, detail, alongside }: Denial,
): Promise<void> {
  await auditLog(tenant, actor).recordDenial(event, party, {
    route: attempt,
    ...(target && { target }),
    detail,
  })
  await alongside?.(tenant)
}

/** Runs `work`, and audits an error of it that is a denial after its transaction has rolled back. */
export async function notingDenial<T>(
  { store, denied }: { store: Store; denied: readonly Denied[] },
  denialOf: (error: unknown) => Denial | undefined,
  work: () => T | Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const denial = denialOf(error)
    if (denial) for (const one of denied) await noteDenial(store, one, denial)
    throw error
  }
}
