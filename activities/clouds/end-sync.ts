import { endSync as end } from '../../app/clouds/end-sync.ts'
import type { SyncAccountInput } from '../../workflows/clouds/contract.ts'
import type { Deps } from '../deps.ts'

/** Ends a sync, by what became of its places or by the code of what failed as a whole. */
export const endSync =
  ({ store }: Pick<Deps, 'store'>) =>
  async ({ organizationId, syncId, code }: SyncAccountInput & { code?: string }): Promise<void> =>
    store.tenant(organizationId, async (tenant) => end(tenant, { syncId, failure: code ?? null }))
