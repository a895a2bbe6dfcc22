import { conflict } from '../../domain/errors.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'

/** All of an organization are read for each plan, and a page of them has their texts. */
const maxPolicies = 500
const maxRegoBytes = 2 * 1_048_576

/** Called after a policy was written, whose transaction a refusal takes back. */
export async function assertRoom(tenant: Tenant): Promise<void> {
  const { db, organizationId } = unwrap(tenant)
  const { rows } = await db.raw(
    `select count(*)::integer as policies, coalesce(sum(octet_length(rego)), 0)::bigint as bytes
     from policies where organization_id = ?`,
    [organizationId],
  )
  if (rows[0].policies <= maxPolicies && Number(rows[0].bytes) <= maxRegoBytes) return
  throw conflict(
    'too_many_policies',
    `An organization has at most ${maxPolicies} policies, whose texts take at most 2 MiB together. Delete those that nobody needs.`,
  )
}
