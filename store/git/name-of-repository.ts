import { unwrap, type Tenant } from '../driver/tenant.ts'
/** The repository of a connection without its owner, which may be a person's name: Temporal's UI shows it. */
export async function nameOfRepository(tenant: Tenant, connectionId: number): Promise<string> {
  const { db, organizationId } = unwrap(tenant)

  const row = await db('git_connections')
    .where({ organizationId, id: connectionId })
    .first('defaultRepo')
  return row?.defaultRepo?.split('/').at(-1) ?? `connection ${connectionId}`
}
