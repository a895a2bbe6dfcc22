import type { Knex } from 'knex'
import { unwrap, type Tenant } from '../driver/tenant.ts'

/** What a workspace keeps: reads prepare a search for all of it. */
export const maxRetiredValues = 200
export const maxRetiredBytes = 512 * 1_024

type RetiredValue = { key: string; kind: 'terraform' | 'env'; value: Buffer; valueMac: Buffer }

/**
 * Values that sensitive variables of a workspace had: what was applied before the change still has them. Values
 * arrive sealed.
 */
export function retiredValues(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  return {
    /** Drops what is then beyond the bounds. */
    async add(workspaceId: number, { key, kind, value, valueMac }: RetiredValue): Promise<void> {
      const place = { organizationId, workspaceId, kind, key, valueMac }
      // The newest is the last to be dropped, also where the variable had the value before.
      await db('retired_values').where(place).delete()
      await db('retired_values').insert({ ...place, value })
      await db.raw(
        // First of all those are kept that the current state can have: of each variable the first since it was stored.
        `delete from retired_values where organization_id = :organizationId and id in (
           select id from (
             select id, row_number() over kept as place, sum(octet_length(value)) over kept as bytes
             from (
               select r.id, r.value, r.retired_at >= s.created_at and row_number() over (
                   partition by r.kind, r.key, r.retired_at >= s.created_at order by r.id) = 1 as is_applied
               from retired_values r left join (
                 select created_at from state_versions
                 where organization_id = :organizationId and workspace_id = :workspaceId and status = 'finalized'
                 order by generation desc, serial desc limit 1) s on true
               where r.organization_id = :organizationId and r.workspace_id = :workspaceId) marked
             window kept as (order by is_applied desc nulls last, id desc)) placed
           where place > :maxRetiredValues or bytes > :maxRetiredBytes)`,
        { organizationId, workspaceId, maxRetiredValues, maxRetiredBytes },
      )
    },

    /** Those that are searched for, the newest first. */
    async list(workspaceId: number): Promise<Array<Pick<RetiredValue, 'key' | 'kind' | 'value'>>> {
      return this.searched(workspaceId).orderBy('id', 'desc').select('key', 'kind', 'value')
    },

    /** But for a value that every member can read, since a variable that is not sensitive has it. */
    searched(workspaceId: number): Knex.QueryBuilder {
      return db('retired_values as r')
        .where({ organizationId, workspaceId })
        .whereNotExists(
          db('workspace_variables as v')
            .select(db.raw('1'))
            .where({ 'v.organizationId': organizationId, 'v.workspaceId': workspaceId })
            .where({ 'v.sensitive': false })
            .whereRaw('v.value_mac = r.value_mac'),
        )
    },
  }
}
