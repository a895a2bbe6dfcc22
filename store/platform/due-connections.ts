import type { PlatformDb } from '../driver/connect.ts'

/**
 * Connections to check again: each organization's first before anybody's second, and of each the longest waiting
 * first. Usually every ten minutes; refused ones with backoff up to six hours, so that a host does not block us as
 * an attacker; those waiting for a pull request every minute. A connection that is being prepared is left alone.
 */
export async function dueConnections(
  db: PlatformDb,
  limit: number,
): Promise<Array<{ organizationId: number; connectionId: number }>> {
  const { rows } = await db.raw(
    `update git_connections set checked_at = now()
     where id in (
       select c.id from git_connections c join (
         select c.id, row_number() over (partition by c.organization_id order by c.checked_at, c.id) as turn
         from git_connections c join organizations o on o.id = c.organization_id
         where o.status = 'active' and ${isDue}
       ) due on due.id = c.id
       -- Again, on the row that is locked: another worker may have claimed it since this statement began, and PostgreSQL
       -- evaluates only the conditions of this query on the new version of a row.
       where ${isDue}
       order by due.turn, c.checked_at limit ? for update of c skip locked)
     returning id as "connectionId", organization_id as "organizationId"`,
    [limit],
  )
  return rows
}

const isDue = `c.checked_at < now() - case
  when c.status in ('healthy', 'unreachable') then interval '10 minutes'
  when c.status in ('error', 'invalid_token')
    then least(interval '10 minutes' * power(2, least(greatest(c.failed_checks, 1), 10) - 1), interval '6 hours')
  when c.status_reason is not null then interval '1 minute'
  else interval '100 years' end`
