import { unwrap, type Tenant } from '../driver/tenant.ts'

/** Which version of its cost an organization's prices were learned from. */
export function priceLearnings(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  return {
    /**
     * The version to learn from; undefined if another worker learns from it. What was claimed and did not end
     * may be claimed again after 15 minutes: its worker is gone, or the statement took too long.
     */
    async claim(): Promise<string | undefined> {
      const { rows } = await db.raw(claim, { organizationId })
      return rows[0]?.version
    },

    /** Locks the row until the transaction ends. False if a newer version was learned from meanwhile. */
    async hold(version: string): Promise<boolean> {
      const { rows } = await db.raw(
        `select coalesce(learned_version, 0) <= :version::bigint as "isNewest" from price_learnings
         where organization_id = :organizationId for update`,
        { organizationId, version },
      )
      return rows[0]?.isNewest === true
    },

    async end(version: string, currency: string): Promise<void> {
      await db('priceLearnings')
        .where({ organizationId })
        .update({ learnedVersion: version, learnedAt: db.fn.now(), currency })
    },
  }
}

const claim = `
  insert into price_learnings as l (organization_id, claimed_version, claimed_at)
  select organization_id, version, now() from cost_versions where organization_id = :organizationId
  on conflict (organization_id) do update set claimed_version = excluded.claimed_version, claimed_at = now()
  where l.claimed_version <> excluded.claimed_version or l.learned_at >= l.claimed_at
    or l.claimed_at < now() - interval '15 minutes'
  returning claimed_version::text as version`
