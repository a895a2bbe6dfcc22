import { notFound } from '../../domain/errors.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import type { RunOverrides } from './workspace-runs.ts'

export const placeOfOverrides = (organizationId: number) =>
  ({ organizationId, table: 'workspace_runs', column: 'overrides' }) as const

/** The values that runs were started with, sealed. */
export function runOverrides(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)
  const read = async <K extends keyof RunOverrides>(
    id: number,
    names: K[],
  ): Promise<Pick<RunOverrides, K>> => {
    const row = await db('workspace_runs').where({ organizationId, id }).first(names)
    if (!row) throw notFound()
    // The columns of the select, with the types of the table.
    return row as Pick<RunOverrides, K>
  }

  return {
    get: async (id: number) => read(id, ['overrides', 'overridesBy']),
    /** Without the values, which can have 256 KiB. */
    mac: async (id: number) => (await read(id, ['overridesMac'])).overridesMac,
  }
}
