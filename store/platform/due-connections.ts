import type { PlatformDb } from '../connect.ts'

/** Connections that nobody has asked for ten minutes, the longest first. What failed to be prepared stays as it is until somebody acts. */
export async function dueConnections(
  db: PlatformDb,
  limit: number,
): Promise<Array<{ organizationId: number; connectionId: number }>> {
  const { rows } = await db.raw(
    `update git_connections set checked_at = now()
     where id in (
       select c.id from git_connections c join organizations o on o.id = c.organization_id
       where c.checked_at < now() - interval '10 minutes' and o.status = 'active'
         and c.status in ('healthy', 'invalid_token', 'unreachable')
       order by c.checked_at limit ? for update of c skip locked)
     returning id as "connectionId", organization_id as "organizationId"`,
    [limit],
  )
  return rows
}
