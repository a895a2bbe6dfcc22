import { unwrap, type Tenant } from '../driver/tenant.ts'

/** A removal that took longer was cut off: its process is gone. */
const staleRemoval = `interval '2 minutes'`

/** SQL: the artifacts that refer to the bytes `b`. Three conditions, for each of which there is an index. */
export const references = `
  select 1 from artifacts a where a.organization_id = b.organization_id and a.kept_digest = b.digest
  union all
  select 1 from artifacts a where a.organization_id = b.organization_id and a.spdx_digest = b.digest
  union all
  select 1 from artifacts a where a.organization_id = b.organization_id and a.cyclonedx_digest = b.digest`

/** What is in the artifact store, by its digest. */
export function artifactBlobs(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)
  return {
    /**
     * Before bytes get their place. False while the same bytes are being removed: a put beside that would
     * be lost.
     */
    async claim(digest: string): Promise<boolean> {
      const { rows } = await db.raw(
        `insert into artifact_blobs as b (organization_id, digest) values (?, ?)
         on conflict (organization_id, digest) do update
           set claimed_at = now(), removable_at = null, removing_at = null
           where b.removing_at is null or b.removing_at < now() - ${staleRemoval}
         returning 1`,
        [organizationId, digest],
      )
      return rows.length === 1
    },

    /** Compare-and-swap: the bytes may be removed, since nothing has claimed or kept them meanwhile. */
    async beginRemoval(digest: string): Promise<boolean> {
      const { rows } = await db.raw(
        `update artifact_blobs b set removing_at = now()
         where b.organization_id = ? and b.digest = ? and b.removable_at <= now()
           and (b.removing_at is null or b.removing_at < now() - ${staleRemoval})
           and not exists (${references})
         returning 1`,
        [organizationId, digest],
      )
      return rows.length === 1
    },

    /** The bytes are gone. */
    async forget(digest: string): Promise<void> {
      await db('artifact_blobs')
        .where({ organizationId, digest })
        .whereNotNull('removingAt')
        .delete()
    },
  }
}
