import { createHash } from 'node:crypto'
import { startSync } from '../../app/clouds/start-sync.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { maxLiveSyncs } from '../../domain/clouds/max-live-syncs.ts'
import { AppError, conflict } from '../../domain/errors.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { cloudAccounts } from '../../store/clouds/cloud-accounts.ts'
import { idempotencyKeys } from '../../store/requests/idempotency-keys.ts'
import type { Deps } from '../deps.ts'
import { presentSync } from './present-sync.ts'
import type { SyncBody } from './resource-schemas.ts'

/** Starts a sync, or joins the live one. */
export async function requestSync(
  deps: Deps,
  caller: Caller,
  { id, idempotencyKey: key }: { id: number; idempotencyKey: string | undefined },
): Promise<SyncBody> {
  return deps.store.tenant(caller.organizationId, async (tenant) => {
    const keys = idempotencyKeys(tenant)
    // Of the person, who may have signed in again before repeating the request.
    const who = `user:${caller.userId}`
    if (key !== undefined) {
      const hash = createHash('sha256').update(`cloud sync ${id}`).digest()
      const first = await keys.take(who, key, hash)
      // Written below, in this shape.
      if (first) return first.response as SyncBody
    }
    if ((await cloudAccounts(tenant).get(id)).forgetting)
      throw conflict(
        'account_forgetting',
        'What was known of the account before it was disconnected is being deleted. A sync follows by itself.',
      )
    const started = await startSync(tenant, { cloudAccountId: id, trigger: 'request' })
    if (!started)
      throw new AppError(
        'rate_limited',
        `${maxLiveSyncs} syncs of your organization are running. Try again once one has ended.`,
        { code: 'too_many_syncs', retryAfterSeconds: 60 },
      )
    const sync = presentSync(started)
    await auditLog(tenant, actorOf(caller)).record('cloud.sync_requested', {
      target: { kind: 'cloud_account', id },
      detail: { syncId: sync.id },
    })
    if (key !== undefined) await keys.answer(who, key, { status: 202, response: sync })
    return sync
  })
}
