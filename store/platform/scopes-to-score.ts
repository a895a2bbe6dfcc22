import type { PlatformDb } from '../driver/connect.ts'

/** `claimedUntil` names the claim. */
export type ScopesToScore = { organizationId: number; claimedUntil: string }

/**
 * Organizations whose whole cost and tags are to be scored anew. Each is claimed for five minutes by moving its time
 * on, so that of several workers one scores it; what a worker leaves that dies, or cannot do, comes again after that.
 */
export async function claimScopesToScore(db: PlatformDb, limit: number): Promise<ScopesToScore[]> {
  const { rows } = await db.raw(claim, [limit])
  return rows
}

const claim = `
  update cost_versions set score_scopes_at = now() + interval '5 minutes'
  where organization_id = any(array(
    select organization_id from cost_versions where score_scopes_at <= now()
    order by score_scopes_at limit ? for update skip locked))
  returning organization_id as "organizationId", score_scopes_at::text as "claimedUntil"`
