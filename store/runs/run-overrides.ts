import type { Knex } from 'knex'
import { notFound } from '../../domain/errors.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import type { RunOverrides } from './workspace-runs.ts'

export const placeOfOverrides = (organizationId: number) =>
  ({ organizationId, table: 'workspace_runs', column: 'overrides' }) as const

/**
 * SQL: the keyed hash of a run's own values; null for a run without any. Values without a stored hash, of a process from
 * before migration 0171, equal those of no other run.
 */
export const macOfOverrides = (run: string): string =>
  `coalesce(${run}.overrides_mac,
    case when ${run}.overrides is not null then convert_to('run ' || ${run}.id, 'UTF8') end)`

/** The values that runs were started with, sealed. */
export function runOverrides(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)
  const read = async <K extends keyof RunOverrides>(
    id: number,
    names: Array<K | Knex.Raw>,
  ): Promise<Pick<RunOverrides, K>> => {
    const row = await db('workspace_runs as r').where({ organizationId, id }).first(names)
    if (!row) throw notFound()
    // The columns of the select, with the types of the table.
    return row as Pick<RunOverrides, K>
  }

  return {
    get: async (id: number) => read(id, ['overrides', 'overridesBy']),
    /** Without the values, which can have 256 KiB. */
    mac: async (id: number) =>
      (await read<'overridesMac'>(id, [db.raw(`${macOfOverrides('r')} as overrides_mac`)]))
        .overridesMac,
  }
}
