import { unwrap, type Tenant } from '../driver/tenant.ts'

/** What an organization has set up so far. */
export type SetupStand = {
  /** Active Owners: 1, or 2 for more. */
  owners: number
  /** A second active person, invited or not. */
  hasColleague: boolean
  hasRun: boolean
  hasGitConnection: boolean
  hasCloudAccount: boolean
  hasPolicy: boolean
  hasIdentityProvider: boolean
}

/** In one statement, of which each part ends at its first or second row. */
export async function setupStand(tenant: Tenant): Promise<SetupStand> {
  const { db, organizationId } = unwrap(tenant)
  const { rows } = await db.raw<{ rows: [SetupStand] }>(
    `select
       (select count(*)::integer from (select from users u
          where u.organization_id = :organizationId and u.active and u.deprovisioned_at is null
            and exists (select from role_grants g where g.organization_id = u.organization_id
              and g.user_id = u.id and g.role = 'Owner')
          limit 2) owners) as "owners",
       (select count(*) = 2 from (select from users
          where organization_id = :organizationId and active and deprovisioned_at is null
          limit 2) people) as "hasColleague",
       exists (select from workspace_runs where organization_id = :organizationId) as "hasRun",
       exists (select from git_connections where organization_id = :organizationId) as "hasGitConnection",
       exists (select from cloud_accounts where organization_id = :organizationId) as "hasCloudAccount",
       exists (select from policies where organization_id = :organizationId) as "hasPolicy",
       exists (select from saml_configurations where organization_id = :organizationId)
         as "hasIdentityProvider"`,
    { organizationId },
  )
  return rows[0]
}
