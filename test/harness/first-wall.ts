import { asTenant, unwrap } from '../../store/driver/tenant.ts'
import { createApp } from '../../api/app.ts'
import { connectOwner, type Store } from '../../store/driver/connect.ts'
import { askPrepared } from '../../store/driver/ask-prepared.ts'
import type { Harness } from './create-harness.ts'

/**
 * The same API over the same database, connected as the owner of the tables, who bypasses row-level
 * security. A request for another organization's data that is refused here is refused by the
 * conditions in the statements themselves.
 */
export async function createFirstWallApp({ deps, config }: Harness) {
  const owner = connectOwner(config.databaseUrl)
  const tenant: Store['tenant'] = async (organizationId, work) =>
    owner.transaction(async (trx) => {
      await trx.raw(`select set_config('cc.organization_id', ?, true)`, [String(organizationId)])
      return work(asTenant(trx, organizationId))
    })
  const store: Store = {
    ...deps.store,
    tenant,
    reading: tenant,
    read: async (organizationId, query) =>
      tenant(organizationId, async (one) => askPrepared(unwrap(one).db, query)),
    write: async (organizationId, query) =>
      tenant(organizationId, async (one) => askPrepared(unwrap(one).db, query)),
  }
  const app = await createApp({ ...deps, store })
  return {
    app,
    async close() {
      await app.close()
      await owner.destroy()
    },
  }
}
