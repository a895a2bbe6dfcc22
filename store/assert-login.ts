import { Client } from 'pg'
import type { DatabaseLogin, DatabaseLogins } from '../gateways/keyring/database-logins.ts'

type Role = keyof DatabaseLogins

/** Refuses a login that could bypass row-level security. An operator may have configured any login. */
export async function assertLogin(role: Role, { url, made }: DatabaseLogin): Promise<void> {
  const source = made ? `The login ${made.name}` : nameOf[role]
  const client = new Client({ connectionString: url.reveal(), connectionTimeoutMillis: 5_000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query(
      `select rolsuper or rolbypassrls or rolcreaterole as strong,
         exists (select from pg_class where relowner = r.oid) as owns,
         pg_has_role(r.oid, $1::name, 'member') as member,
         array(select o.rolname::text from pg_roles o where o.oid <> r.oid and o.rolname <> $1
           and pg_has_role(r.oid, o.oid, 'member')) as others
       from pg_roles r where rolname = session_user`,
      [role],
    )
    const { strong, owns, member, others } = rows[0]
    if (strong)
      throw new Error(`${source} is SUPERUSER, BYPASSRLS or CREATEROLE, and may be none of them`)
    if (owns) throw new Error(`${source} owns tables, and may own none`)
    if (!member) throw new Error(`${source} is no member of ${role}: grant ${role} to it`)
    if (others.length > 0)
      throw new Error(`${source} may become ${others.join(', ')}, and may become ${role} alone`)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw why.startsWith(source)
      ? error
      : new Error(`${source} cannot log in to the database: ${why}`, { cause: error })
  } finally {
    await client.end().catch(() => undefined)
  }
}

const nameOf = {
  cc_app: 'The login of CC_DATABASE_APP_URL',
  cc_platform: 'The login of CC_DATABASE_PLATFORM_URL',
} as const
