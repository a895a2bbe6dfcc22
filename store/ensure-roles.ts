import type { Knex } from 'knex'

/** Roles belong to the whole server, so a migration of another database may create them concurrently. */
export async function ensureRoles(trx: Knex.Transaction): Promise<void> {
  for (const role of ['cc_app', 'cc_platform'])
    await trx.raw(`
      do $$ begin
        if not exists (select from pg_roles where rolname = '${role}') then create role ${role} nologin; end if;
      exception when duplicate_object or unique_violation then null;
      end $$;
      do $$ begin
        if not pg_has_role(current_user, '${role}', 'member') then execute format('grant ${role} to %I', current_user); end if;
      end $$;
      grant usage on schema public to ${role};
    `)
}
