import type { PlatformDb } from '../driver/connect.ts'

export type DueDomain = { organizationId: number; domain: string; proofToken: string }

/**
 * Claims to look up in DNS: unproved ones every ten minutes, because a person waits; proved ones
 * every hour, because a domain can change hands. In random order, so that name servers that never
 * answer do not delay the others.
 */
export async function dueDomains(db: PlatformDb, limit: number): Promise<DueDomain[]> {
  const { rows } = await db.raw(
    `select d.organization_id as "organizationId", d.domain, d.proof_token as "proofToken"
     from domain_claims d join organizations o on o.id = d.organization_id
     where o.status = 'active' and (d.checked_at is null or d.checked_at < now() -
       case when d.proved_at is null then interval '10 minutes' else interval '1 hour' end)
     order by random() limit ?`,
    [limit],
  )
  return rows
}
