import type { PlatformDb } from '../driver/connect.ts'
import { needsNextKey } from '../clouds/issuer-keys.ts'

/** The organization of an issuer's address; undefined for an unknown or malformed id. */
export async function organizationOfIssuer(
  db: PlatformDb,
  publicId: string,
): Promise<number | undefined> {
  if (!uuid.test(publicId)) return undefined
  return (await db('organizations').where({ publicId }).first('id'))?.id
}

/** In one spelling: another address of the same issuer would be another issuer to a cloud. */
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Organizations whose issuer needs its next key, or still publishes one that no token needs. */
export async function dueIssuers(
  db: PlatformDb,
  limit: number,
): Promise<Array<{ organizationId: number; needsNext: boolean }>> {
  const { rows } = await db.raw(
    `select organization_id as "organizationId", ${needsNextKey} as "needsNext" from issuer_keys
     group by organization_id
     having ${needsNextKey}
       or (count(*) > 1 and count(*) filter (where signs_from < now() - interval '24 hours') > 1)
     order by 1 limit ?`,
    [limit],
  )
  return rows
}
