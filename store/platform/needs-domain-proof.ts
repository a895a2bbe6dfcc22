import type { PlatformDb } from '../connect.ts'

/** `shared`: not said by the operator; a domain then needs proof as soon as there is somebody to take it from. */
export type DomainProof = 'dns' | 'none' | 'shared'

/**
 * Whether a domain must be proved before its addresses are sent to an organization's identity
 * provider. Asked at each use, so that it holds from the moment at which a second organization
 * is there: until then nobody can claim what is another's.
 */
export async function needsDomainProof(db: PlatformDb, proof: DomainProof): Promise<boolean> {
  if (proof !== 'shared') return proof === 'dns'
  const rows = await db('organizations').select('id').limit(2)
  return rows.length > 1
}
