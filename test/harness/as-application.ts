import type { Knex } from 'knex'
import type { Store } from '../../store/driver/connect.ts'
import { asTenant } from '../../store/driver/tenant.ts'

/** Transactions by the role of the application, with row-level security, on a connection of the tables' owner. */
export const asApplication = (owner: Knex): Pick<Store, 'tenant'> => ({
  tenant: async (organizationId, work) =>
    owner.transaction(async (trx) => {
      await trx.raw('set local role cc_app')
      await trx.raw(`select set_config('cc.organization_id', ?, true)`, [String(organizationId)])
      return work(asTenant(trx, organizationId))
    }),
})
