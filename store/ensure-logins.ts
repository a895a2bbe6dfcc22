import type { Knex } from 'knex'
import { escapeIdentifier, escapeLiteral } from 'pg'
import type { DatabaseLogins } from '../gateways/keyring/database-logins.ts'
import { migrationLock } from './migrate.ts'
import { scramVerifier } from './scram-verifier.ts'

type Role = keyof DatabaseLogins

/**
 * Creates the logins of the service's pools, as the owner. Each is a member of one role, owns
 * nothing and inherits nothing. An attacker who injects `reset role` into a statement then has a
 * login that can read no table. Idempotent, and safe to call from several processes at once.
 */
export async function ensureLogins(owner: Knex, logins: DatabaseLogins): Promise<void> {
  try {
    await owner.transaction(async (trx) => makeLogins(trx, logins))
  } catch (error) {
    throw isRefusal(error) ? new Error(adviceOf(logins), { cause: error }) : error
  }
}

async function makeLogins(trx: Knex.Transaction, logins: DatabaseLogins): Promise<void> {
  await trx.raw('select pg_advisory_xact_lock(?)', [migrationLock])
  for (const role of ['cc_app', 'cc_platform'] as const) {
    const { made } = logins[role]
    const note = await noteOf(trx, role)
    if (made) {
      await trx.raw(statements(role, made.name, scramVerifier(made.password.reveal())))
      await trx.raw(`comment on role ${escapeIdentifier(made.name)} is ${escapeLiteral(note)}`)
    }
    await dropRetired(trx, note, made?.name ?? '')
  }
}

/** `insufficient_privilege`. */
const isRefusal = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '42501'

function adviceOf(logins: DatabaseLogins): string {
  const lines = (['cc_app', 'cc_platform'] as const).flatMap((role) =>
    logins[role].made
      ? [
          `  create role ${role}_login login noinherit password '…'; grant ${role} to ${role}_login;`,
        ]
      : [],
  )
  return [
    'The role of DATABASE_URL may not make the logins that the API and the worker use (they own nothing, so that row-level security holds for them).',
    'Either let it (alter role … createrole), or run as an administrator of the server:',
    ...lines,
    'and name them in CC_DATABASE_APP_URL and CC_DATABASE_PLATFORM_URL.',
  ].join('\n')
}

/** Utility statements take no parameters. The names come from the keyring and are hexadecimal. */
function statements(role: Role, name: string, verifier: string): string {
  const login = escapeIdentifier(name)
  return `
    do $$ begin
      if not exists (select from pg_roles where rolname = ${escapeLiteral(name)}) then
        create role ${login} noinherit;
      end if;
      if not pg_has_role(${escapeLiteral(name)}, '${role}', 'member') then grant ${role} to ${login}; end if;
    end $$;
    alter role ${login} login noinherit password ${escapeLiteral(verifier)};
  `
}

async function noteOf(trx: Knex.Transaction, role: Role): Promise<string> {
  const { rows } = await trx.raw('select current_database() as database')
  return `cloud-control: logs in to ${rows[0].database} for ${role}`
}

/** Drops the logins of a removed key. One that an older process still uses stays until the next start. */
async function dropRetired(trx: Knex.Transaction, note: string, current: string): Promise<void> {
  const { rows } = await trx.raw(
    `select rolname from pg_roles r
     where shobj_description(r.oid, 'pg_authid') = ? and rolname <> ?
       and not exists (select from pg_stat_activity a where a.usesysid = r.oid)`,
    [note, current],
  )
  for (const { rolname } of rows) await trx.raw(`drop role if exists ${escapeIdentifier(rolname)}`)
}
