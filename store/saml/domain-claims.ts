import { unwrap, type Tenant } from '../driver/tenant.ts'
export type DomainClaim = {
  domain: string
  proofToken: string
  provedAt: Date | null
  checkedAt: Date | null
}

/** The mail domains that an organization claims. */
export function domainClaims(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  return {
    /** In the order in which they were given. */
    async list(): Promise<DomainClaim[]> {
      return db('domain_claims')
        .where({ organizationId })
        .orderBy('position')
        .select('domain', 'proofToken', 'provedAt', 'checkedAt')
    },

    /** Replaces the claims. A domain that stays keeps its proof and its age. */
    async replace(claims: ReadonlyArray<{ domain: string; proofToken: string }>): Promise<void> {
      await db('domain_claims')
        .where({ organizationId })
        .whereNotIn(
          'domain',
          claims.map(({ domain }) => domain),
        )
        .delete()
      if (claims.length === 0) return
      await db('domain_claims')
        .insert(claims.map((claim, position) => ({ organizationId, ...claim, position })))
        .onConflict(['organizationId', 'domain'])
        .merge(['position'])
    },

    /**
     * Stores the result of a DNS look-up. A missing record removes the proof. Returns whether that
     * changed anything.
     */
    async noteProof(
      { domain, proofToken }: Pick<DomainClaim, 'domain' | 'proofToken'>,
      proved: boolean,
    ): Promise<boolean> {
      const before = await db('domain_claims')
        .where({ organizationId, domain, proofToken })
        .forUpdate()
        .first('provedAt')
      if (!before) return false
      await db('domain_claims')
        .where({ organizationId, domain })
        .update({
          provedAt: proved ? db.raw('coalesce(proved_at, now())') : null,
          checkedAt: db.fn.now(),
        })
      return (before.provedAt !== null) !== proved
    },
  }
}
