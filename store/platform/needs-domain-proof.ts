import type { PlatformDb } from '../driver/connect.ts'

/** `shared`: not configured; proof is then needed once there is a second organization. */
export type DomainProof = 'dns' | 'none' | 'shared'

/**
 * Whether a domain must be proved before it routes sign-ins. Evaluated at each use, so that it holds
 * from the moment a second organization exists. Before that nobody could claim another's domain.
 */
export async function needsDomainProof(db: PlatformDb, proof: DomainProof): Promise<boolean> {
  if (proof !== 'shared') return proof === 'dns'
  const rows = await db('organizations').select('id').limit(2)
  return rows.length > 1
}
