import type { PlatformDb } from '../driver/connect.ts'

export type SliceToScore = {
  organizationId: number
  sliceId: number
  ingestId: number
  sourceId: number
  /** When another worker may claim it: names this claim. As text, because a Date has milliseconds alone. */
  claimedUntil: string
}

/**
 * Accepted slices that are to be scored now, each organization's first before the second of any. Each is claimed for five minutes by moving its time on, so that of
 * several workers one scores it; what a worker leaves that dies, or cannot do, comes again after that.
 */
export async function claimSlicesToScore(db: PlatformDb, limit: number): Promise<SliceToScore[]> {
  const { rows } = await db.raw(claim, [limit])
  return rows
}

const claim = `
  update billing_slices set score_at = now() + interval '5 minutes'
  where id = any(array(
    select s.id from billing_slices s join (
      select d.id, row_number() over (partition by d.organization_id order by d.score_at, d.id) as turn
      from billing_slices d where d.score_at <= now()) d on d.id = s.id
    where s.score_at <= now() order by d.turn, s.score_at limit ? for update of s skip locked))
  returning organization_id as "organizationId", id as "sliceId", ingest_id as "ingestId",
    source_id as "sourceId", score_at::text as "claimedUntil"`
