import type { Knex } from 'knex'

export type Protection = {
  /** The column that holds the tenant; every table but `organizations` has `organization_id`. */
  tenantColumn?: string
  /** What the application's role may do; an append-only table leaves out update and delete. */
  grants?: string
}

/**
 * Row-level security, so that a query that forgets the tenant shows no other organization's rows.
 * The application's role sees the rows of the organization that its transaction has set; an unset
 * organization is an error, not an empty result. The platform's role, used by sign-in, relay and
 * reconciler alone, sees all.
 */
export async function protectTable(
  knex: Knex,
  table: string,
  { tenantColumn = 'organization_id', grants = 'select, insert, update, delete' }: Protection = {},
): Promise<void> {
  await knex.raw(`
    alter table ${table} enable row level security;
    create policy tenant on ${table} to cc_app
      using (${tenantColumn} = current_setting('cc.organization_id')::integer)
      with check (${tenantColumn} = current_setting('cc.organization_id')::integer);
    create policy platform on ${table} to cc_platform using (true) with check (true);
    grant ${grants} on ${table} to cc_app;
    grant ${grants} on ${table} to cc_platform;
  `)
}

/** For a table that belongs to no organization; the application's role gets no access. */
export async function protectPlatformTable(knex: Knex, table: string): Promise<void> {
  await knex.raw(`
    alter table ${table} enable row level security;
    create policy platform on ${table} to cc_platform using (true) with check (true);
    grant select, insert, update, delete on ${table} to cc_platform;
  `)
}
