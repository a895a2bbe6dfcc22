import { notFound } from '../../domain/errors.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'

/** What an organization is called in tokens, trust policies and the issuer's address. */
export type CloudIdentity = { slug: string; publicId: string; externalId: string }

export async function cloudIdentity(tenant: Tenant): Promise<CloudIdentity> {
  const { db, organizationId } = unwrap(tenant)
  const row = await db('organizations')
    .where({ id: organizationId })
    .first('slug', 'publicId', 'externalId')
  if (!row) throw notFound()
  return row
}
